package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// exitStatus is how a program that was run for the user failed: it has said why
// itself, and its exit code becomes ours, also where a signal asked it to end.
type exitStatus struct{ code int }

func (e *exitStatus) Error() string { return "the go command ended with code " + strconv.Itoa(e.code) }

func (s *session) streams() gotool.Streams {
	return gotool.Streams{Stdin: s.stdin, Stdout: s.stdout, Stderr: s.stderr}
}

// runGo runs a go command for the user. The error is *exitStatus if the command ran
// and failed.
func (s *session) runGo(argv, env []string) error {
	// Ctrl-\ asks the program for its goroutines, and goes to all processes of a
	// terminal. The go command stays, and so must this one: it has a report to write.
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	defer signal.Stop(quit)
	stop := s.sayBuilding()
	err := gotool.Foreground(s.ctx, s.streams(), argv, env)
	stop()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil && !(errors.As(err, &exit) && exit.ExitCode() > 1):
		// go run and go test make 1 of whatever a program ends with.
		return withCode(exitInterrupted, errors.New("interrupted"))
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return &exitStatus{exit.ExitCode()}
	case errors.As(err, &exit):
		return withCode(exitFailed, fmt.Errorf("%s: %w", argv[0], err)) // killed
	}
	return fmt.Errorf("%s can't be run: %w", argv[0], err)
}
