package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/prof"
	"github.com/seamgo/seam/cmd/seam/internal/prof/inject"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// program runs a program and lists what C libraries did to its handlers of signals. It is run,
// not read: which of the libraries that can install a handler do so depends on what is called.
func (v *doctorVerb) program(s *session) error {
	if v.For <= 0 {
		return errors.New("--for wants more than 0")
	}
	name, err := exec.LookPath(*v.Program)
	if err != nil {
		return fmt.Errorf("--program: %w", err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("--program: %w", err)
	}
	if !bytes.Contains(text, []byte(inject.Mark)) {
		return fmt.Errorf("%s can't tell about its handlers; build it with: seam prof -- go build -o %s", name, *v.Program)
	}
	dir, err := os.MkdirTemp("", "seam-doctor-")
	if err != nil {
		return withCode(exitFailed, err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(s.ctx, v.For)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, dropDashes(v.Args)...)
	cmd.Env = append(os.Environ(), inject.SignalsVariable+"="+dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, s.stdout, s.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	runErr := cmd.Run()
	how := "It ended by itself"
	switch {
	case s.ctx.Err() != nil:
		how = "It was interrupted"
	case ctx.Err() != nil:
		how = fmt.Sprintf("It was ended after %v", v.For)
	case runErr != nil:
		how = "It ended with " + runErr.Error()
	}
	found, err := prof.ReadSignals(dir)
	if err != nil {
		return withCode(exitFailed, err)
	}
	if found.Processes == 0 {
		return withCode(exitFailed, errors.Join(runErr, errors.New("the program noted nothing: it ended before its main package was initialised")))
	}
	for _, why := range found.Unknown {
		return withCode(exitFailed, fmt.Errorf("the program can't look at its handlers: %s", why))
	}
	for _, f := range found.Findings {
		if _, err := fmt.Fprintf(s.stdout, "signals: %s\n", f); err != nil {
			return withCode(exitFailed, err)
		}
	}
	if n := len(found.Findings); n > 0 {
		return withCode(exitFinding, fmt.Errorf("%s about handlers of signals (%s)", quantity.Plural(n, "finding"), how))
	}
	_, err = fmt.Fprintf(s.stdout, "signals: all handlers are as Go needs them. %s.\n", how)
	return withCode(exitFailed, err)
}
