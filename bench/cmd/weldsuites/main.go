// Command weldsuites runs the modules' own test suites as they are and welded,
// and compares them test by test: each must pass, fail or be skipped alike. The
// plan is made from a trace of the same suite. All is done twice, the second time
// with GOGC=1.
//
//	go run ./bench/cmd/weldsuites                  all modules of bench/weld
//	go run ./bench/cmd/weldsuites -list h3         each test of one, side by side
//
// It ends with code 1 if a test differs, 2 if the command line is wrong, 3 if
// something could not be built or run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/seamgo/seam/bench/internal/seam"
)

// The exit codes.
const (
	exitDiffers     = 1
	exitUsage       = 2
	exitFailed      = 3
	exitInterrupted = 130
)

// Options are the command line.
type options struct {
	seam    string
	work    string
	cflags  string
	reruns  int
	gogc    bool
	list    bool
	verbose bool
	suites  []suite
}

const usage = `Usage: weldsuites [flags] [MODULE[@VERSION]…]

Runs the modules' own tests as they are and welded. MODULE is h3, sqlite, zstd or
sitter; all four without one. VERSION is another than that in bench/go.mod.

`

// errUsage is what the flag package has already told the user about.
var errUsage = errors.New("usage")

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("weldsuites", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, usage); f.PrintDefaults() }
	f.StringVar(&o.seam, "seam", filepath.Join("bin", "seam"), "the seam to weld with")
	f.StringVar(&o.work, "work", filepath.Join("bin", "suites"), "folder for copies of the modules, traces and plans; kept, so that the next run finds what the go command has built")
	f.StringVar(&o.cflags, "cflags", "", "compile the modules' C code with these flags (CGO_CFLAGS), such as '-O1 -g0', which takes a third of the time")
	f.IntVar(&o.reruns, "reruns", 5, "how often a test that differs is run again, by itself")
	f.BoolVar(&o.gogc, "gogc", true, "run all a second time with GOGC=1")
	f.BoolVar(&o.list, "list", false, "print each test, not only those that differ")
	f.BoolVar(&o.verbose, "v", false, "show the commands that are run")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, errUsage
	}
	if o.reruns < 1 {
		return o, errors.New("-reruns must be above zero")
	}
	var err error
	o.suites, err = choose(f.Args())
	return o, err
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(conclude(run(ctx, os.Args[1:], os.Stdout, os.Stderr)))
}

// conclude tells the user of an error and chooses the exit code.
func conclude(code int, err error) int {
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return code
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "weldsuites: interrupted")
		return exitInterrupted
	case !errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "weldsuites:", err)
	}
	return code
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0, err
	}
	if err != nil {
		return exitUsage, err
	}
	if o.seam, err = seam.Find(o.seam); err != nil {
		return exitUsage, err
	}
	if o.work, err = filepath.Abs(o.work); err != nil {
		return exitFailed, err
	}
	if err := os.MkdirAll(o.work, 0o777); err != nil {
		return exitUsage, err
	}
	r := &runner{options: o, stderr: stderr}
	for _, s := range o.suites {
		if err := r.suite(ctx, s); err != nil {
			return exitFailed, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := writeReport(stdout, r.trials, o.list); err != nil {
		return exitFailed, err
	}
	if n := differing(r.trials); n > 0 {
		return exitDiffers, fmt.Errorf("%d test results differ when welded", n)
	}
	return 0, nil
}
