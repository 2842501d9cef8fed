package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// exitStatus is how a program that was run for the user failed: it has said why
// itself, and its exit code becomes ours.
type exitStatus struct{ code int }

func (e *exitStatus) Error() string { return "the go command ended with code " + strconv.Itoa(e.code) }

func (s *session) streams() gotool.Streams {
	return gotool.Streams{Stdin: s.stdin, Stdout: s.stdout, Stderr: s.stderr}
}

// runGo runs a go command for the user. The error is *exitStatus if the command ran
// and failed.
func (s *session) runGo(argv, env []string) error {
	err := gotool.Foreground(s.ctx, s.streams(), argv, env)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		return withCode(exitInterrupted, errors.New("interrupted"))
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return &exitStatus{exit.ExitCode()}
	case errors.As(err, &exit):
		return withCode(exitFailed, fmt.Errorf("%s: %w", argv[0], err)) // killed
	}
	return fmt.Errorf("%s can't be run: %w", argv[0], err)
}

// toolexecFlag is the flag that makes the go command call this program in front
// of its tools, for a job.
func toolexecFlag(dir string) (string, error) {
	return selfFlag("-toolexec", "toolexec", "--job", dir)
}

// selfFlag is a flag of the go command whose value is a call of this program.
func selfFlag(flag string, args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("this program's own file can't be found: %w", err)
	}
	value, err := gotool.JoinQuoted(append([]string{self}, args...))
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	return flag + "=" + value, nil
}
