package launch

import (
	"errors"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// A Reading makes a report of a session's log while it is written.
type Reading struct {
	session *Session
	pipe    *Pipe
	names   *Names
	log     *keptLog
	done    chan struct{}
	file    *report.File // when done
	err     error
}

// Read begins to read the log, and keeps a copy of it in a file if keep names one.
func (s *Session) Read(keep *string) (*Reading, error) {
	r := &Reading{session: s, names: s.Names(), done: make(chan struct{})}
	var err error
	if r.pipe, err = OpenPipe(s.Log); err != nil {
		return nil, err
	}
	if r.log, err = keepLog(keep); err != nil {
		r.pipe.Close()
		return nil, err
	}
	go func() {
		defer close(r.done)
		r.file, r.err = report.Build(event.NewReader(r.log.tee(r.pipe)), report.Options{Symbols: r.names})
	}()
	return r, nil
}

// Finish returns the report when all programs have ended. It comes with an error too:
// what was read is worth reporting.
func (r *Reading) Finish() (*report.File, error) {
	r.pipe.Finish()
	<-r.done
	r.names.Close()
	err := errors.Join(r.err, r.pipe.Close(), r.log.close())
	programs, programsErr := r.session.Programs()
	for _, p := range programs {
		for i := range r.file.Processes {
			if q := &r.file.Processes[i]; q.PID == p.PID {
				q.Program, q.Ended, q.CPU = p.Name, p.Ended, p.CPU
			}
		}
	}
	return r.file, errors.Join(err, programsErr)
}
