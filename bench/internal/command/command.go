// Package command is what the commands of bench have in common: how they begin, read
// their flags, show what they are doing, and end.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/seamgo/seam/bench/internal/table"
)

// The exit codes.
const (
	Missed      = 1 // a goal, or what should be alike differs
	Usage       = 2
	Failed      = 3
	Interrupted = 130
)

// ErrUsage is what the flag package has already told the user about.
var ErrUsage = errors.New("usage")

// Main runs a command until it ends or is interrupted, and ends the process.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(Conclude(name, code, err))
}

// Conclude tells the user of an error and chooses the exit code: code, unless the
// command did well, showed its help or was interrupted.
func Conclude(name string, code int, err error) int {
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(os.Stderr, "%s: interrupted\n", name)
		return Interrupted
	case !errors.Is(err, ErrUsage):
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	}
	return code
}

// Flags is an empty set of flags, which are shown below help.
func Flags(name, help string, stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, help); f.PrintDefaults() }
	return f
}

// Parse parses a command line. Its error is flag.ErrHelp or ErrUsage.
func Parse(f *flag.FlagSet, args []string) error {
	err := f.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return ErrUsage
	}
	return err
}

// A Screen is where a command shows what it is doing.
type Screen struct{ io.Writer }

// Say shows what is being done, in place of what it said before; on a terminal only.
func (s Screen) Say(format string, args ...any) {
	if table.Terminal(s.Writer) {
		fmt.Fprintf(s.Writer, "\r\x1b[K"+format, args...)
	}
}
