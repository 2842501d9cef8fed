package cli

import (
	"errors"

	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// record runs a go command whose programs record, and returns their records. After the
// build it calls built. If done is true there is nothing left to do but to return err;
// else err is how the go command failed, which the records may still explain.
func record[T recording.Record](s *session, r *job.Recording[T], built func() error) (records []job.Recorded[T], done bool, err error) {
	if err := r.Begin(); err != nil {
		return nil, true, withCode(exitFailed, err)
	}
	defer r.Remove()
	runErr := r.Run(s.runGo)
	if !r.Command.RunsProgram() {
		if runErr != nil {
			return nil, true, runErr
		}
		return nil, true, errors.Join(built(), r.WriteBuilt(s.stderr))
	}
	if err := built(); err != nil {
		return nil, true, errors.Join(runErr, err)
	}
	if records, err = r.Records(s.stderr); err != nil {
		return nil, true, errors.Join(runErr, withCode(exitFailed, err))
	}
	// Of a command that failed before any program ran, the reason has been printed.
	return records, len(records) == 0 && runErr != nil, runErr
}
