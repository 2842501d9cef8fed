package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/prof/outside"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// isProgram reports whether a word is a program's file, and not a go command or a package's folder.
func isProgram(word string) bool {
	if gotool.IsGo(word) {
		return false
	}
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular()
}

// bound looks at a program that runs, as it was built, and says what welding could bring at most.
func (v *tryVerb) bound(s *session, args []string) error {
	switch {
	case v.HTML != "" || v.Plan != "":
		return errors.New("--html and --plan are for what is built and compared; a process is only looked at")
	case v.PID != nil && len(args) > 0:
		return errors.New("--pid names what to look at, and so does the command; leave one out")
	case v.PID != nil && *v.PID <= 0:
		return fmt.Errorf("--pid %d: want the number of a process", *v.PID)
	case v.PID != nil:
		return v.look(s, *v.PID, s.stdout, func() error { return nil })
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, s.stdout, s.stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return v.look(s, cmd.Process.Pid, s.stderr, func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Second):
		}
		_ = cmd.Process.Kill() // likewise
		<-ended
		return errors.New("the program did not end by SIGTERM within 10s, and was killed")
	})
}

// enough is how many samples say anything.
const enough = 100

// look samples a process, ends it, and reports.
func (v *tryVerb) look(s *session, pid int, to io.Writer, end func() error) error {
	fmt.Fprintf(s.stderr, "seam: looking at process %d for %v; an interrupt ends it earlier\n", pid, v.For)
	r, err := outside.Sample(s.ctx, pid, v.For)
	endErr := end()
	if err != nil {
		return withCode(exitFailed, err)
	}
	if r.Ended && endErr != nil {
		fmt.Fprintf(s.stderr, "seam: the program ended meanwhile: %v\n", endErr)
	}
	if r.Samples.All < enough {
		return withCode(exitFailed, fmt.Errorf("process %d used %v of processor time in %v, which gave %d samples; %d are needed: give it something to do, or look longer with --for",
			pid, r.CPU, r.Long.Round(time.Millisecond), r.Samples.All, enough))
	}
	return withCode(exitFailed, r.WriteText(to, terminal.Of(to).Options))
}
