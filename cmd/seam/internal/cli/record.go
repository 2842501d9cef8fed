package cli

import (
	"errors"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// incomplete is the error of evidence in which something is missing: nothing follows
// from what it does not show.
func incomplete(gaps []string) error {
	what := gaps[0]
	if n := len(gaps); n > 1 {
		what += fmt.Sprintf(" (and %d more)", n-1)
	}
	return withCode(exitFailed, fmt.Errorf("the recording is incomplete: %s", what))
}

// record runs a go command whose programs record, and returns their records. After the
// build it calls built. If done is true there is nothing left to do but to return err;
// else err is how the go command failed, which the records may still explain.
func record[T recording.Record](s *session, r *job.Recording[T], built func() error) (records job.Recordings[T], done bool, err error) {
	if err := r.Begin(); err != nil {
		return records, true, withCode(exitFailed, err)
	}
	defer r.Remove()
	runErr := r.Run(s.runGo)
	if !r.Command.RunsProgram() {
		if runErr != nil {
			return records, true, runErr
		}
		return records, true, errors.Join(built(), r.WriteBuilt(s.stderr))
	}
	if err := built(); err != nil {
		return records, true, errors.Join(runErr, err)
	}
	if records, err = r.Records(s.stderr); err != nil {
		return records, true, errors.Join(runErr, withCode(exitFailed, err))
	}
	// Of a command that failed before any program ran, the reason has been printed.
	if len(records.List) == 0 && len(records.LeftOut) > 0 {
		return records, true, errors.Join(runErr, incomplete(records.LeftOut))
	}
	return records, len(records.List) == 0 && runErr != nil, runErr
}
