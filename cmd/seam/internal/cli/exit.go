package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
)

// The exit codes, all of them. exitHelp and docs/exit-codes.md tell users.
const (
	exitOK          = 0
	exitFinding     = 1
	exitUsage       = 2
	exitFailed      = 3
	exitInterrupted = 130 // as shells report a program that Ctrl-C ended
	exitReaderGone  = 141 // as shells report a program that SIGPIPE ended
)

const exitHelp = `Exit codes:
  0    done
  1    a finding: lab compare or run found a proven slowdown, plan --check a plan
       that doesn't match the code, gen --check code that is out of date, gen diff
       a breaking change, gen fmt -l or -d a file to format, layout types that
       Go and C lay out differently, layout --check files that are out of date,
       leaks --check memory that was never freed, rss --fail-growth memory
       that grows faster than it may, weld --compare a benchmark
       that welding makes slower, or a program that fails only when welded,
       weld --bisect the lines by which it fails,
       vet a mistake in the use of C, doctor a build that can't call C or only
       by the slow path or a program whose handlers of signals Go can't live
       with, cross a program that is not what was asked for
  2    the command line or an input file is wrong; nothing was done
  3    a measurement failed, nothing could be measured, or a result could not
       be written
  130  interrupted; what was finished has been reported
  141  nobody reads standard output any more (seam lab | head)
`

// A coded error ends the program with its own code. Any other error is one of usage
// or input.
type coded struct {
	code int
	err  error
}

func (c *coded) Error() string { return c.err.Error() }
func (c *coded) Unwrap() error { return c.err }

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &coded{code, err}
}

// conclude prints the error of run, if any, and returns the exit code.
func conclude(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	// kong joins a verb's error with those of its hooks, and there are no hooks.
	for {
		list, ok := err.(interface{ Unwrap() []error })
		if !ok || len(list.Unwrap()) != 1 {
			break
		}
		err = list.Unwrap()[0]
	}
	if passed, ok := err.(*exitStatus); ok {
		return passed.code
	}
	if readerGone(err) {
		return exitReaderGone
	}
	for line := range strings.Lines(err.Error() + "\n") {
		if !strings.HasPrefix(line, "\t") { // a tab goes on with the line before
			line = "seam: " + line
		}
		fmt.Fprint(stderr, line)
	}
	return exitCode(err)
}

// exitCode is the code that an error ends the program with.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	var c *coded
	if errors.As(err, &c) {
		return c.code
	}
	return exitUsage
}

// readerGone reports whether an error is only that nobody reads what was written any more,
// as in "seam lab | head". Of errors that are joined each must be that.
func readerGone(err error) bool {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return len(e.Unwrap()) > 0 && !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !readerGone(err) })
	case interface{ Unwrap() error }:
		return readerGone(e.Unwrap())
	}
	return err == syscall.EPIPE
}
