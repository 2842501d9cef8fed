// Command weldsuites runs the modules' own test suites as they are and welded,
// and compares them test by test: each must pass, fail or be skipped alike. The
// plan is made from a trace of the same suite, or of a part of it, or has every
// function as a leaf. All is done twice, the second time with GOGC=1.
//
//	go run ./bench/cmd/weldsuites                  all modules of bench/weld
//	go run ./bench/cmd/weldsuites -list h3         each test of one, side by side
//	go run ./bench/cmd/weldsuites -force           everything a leaf: slow, but right
//	go run ./bench/cmd/weldsuites -coro            everything coro, what calls Go too
//	go run ./bench/cmd/weldsuites -park            everything on a stack and a thread of its own
//	go run ./bench/cmd/weldsuites -run Query sqlite  a plan that knows only some tests
//
// Another Go version is chosen by GOTOOLCHAIN, another architecture by GOARCH, CC and -exec.
//
// It ends with code 1 if a test differs, 2 if the command line is wrong, 3 if
// something could not be built or run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
)

// Options are the command line.
type options struct {
	seam    string
	work    string
	cflags  string
	reruns  int
	gogc    bool
	force   bool
	coro    bool
	park    bool
	env     string
	race    bool
	exec    string
	p999    string
	traced  string
	skip    string
	list    bool
	verbose bool
	suites  []suite
}

const usage = `Usage: weldsuites [flags] [MODULE[@VERSION]…]

Runs the modules' own tests as they are and welded. MODULE is h3, sqlite, lmdb, zstd
or sitter; all of them without one. VERSION is another than that in bench/go.mod. By
name only, since they need a library of the system or are large: git (libgit2-dev 1.5),
rocks (librocksdb-dev 7.8), kafka. Any other module is PATH@VERSION, or PATH//FOLDER@VERSION
for one folder of it.

`

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := command.Flags("weldsuites", usage, stderr)
	f.StringVar(&o.seam, "seam", filepath.Join("bin", "seam"), "the seam to weld with")
	f.StringVar(&o.work, "work", filepath.Join("bin", "suites"), "folder for copies of the modules, traces and plans; kept, so that the next run finds what the go command has built")
	f.StringVar(&o.cflags, "cflags", "", "compile the modules' C code with these flags (CGO_CFLAGS), such as '-O1 -g0', which takes a third of the time")
	f.IntVar(&o.reruns, "reruns", 5, "how often a test that differs is run again, by itself")
	f.BoolVar(&o.gogc, "gogc", true, "run all a second time with GOGC=1")
	f.BoolVar(&o.force, "force", false, "make every function a leaf, also those with which the plan doesn't; only a C function pointer among its parameters keeps one from it")
	f.BoolVar(&o.coro, "coro", false, "make every function coro, also those that take a C function pointer or call Go")
	f.BoolVar(&o.park, "park", false, "park every function, with SEAM_PARK=all: also a call that is alone")
	f.StringVar(&o.env, "env", "", "a variable for the test binaries, as GOMAXPROCS=1; nothing is run with GOGC=1 then")
	f.BoolVar(&o.race, "race", false, "build the tests with the race detector")
	f.StringVar(&o.exec, "exec", "", "run the test binaries by this, as 'qemu-aarch64 -L /usr/aarch64-linux-gnu' with GOARCH=arm64 and CC in the environment")
	f.StringVar(&o.p999, "p999", "", "how long the calls of a leaf may take, as 10us (default: that of seam plan)")
	f.StringVar(&o.traced, "run", "", "trace only the tests and benchmarks that this expression matches (all run welded)")
	f.StringVar(&o.skip, "skip", "", "leave out the tests that this expression matches: with one processor those in which C waits for Go, where every function is a leaf or coro")
	f.BoolVar(&o.list, "list", false, "print each test, not only those that differ")
	f.BoolVar(&o.verbose, "v", false, "show the commands that are run")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.force && o.coro || o.force && o.park || o.coro && o.park {
		return o, errors.New("one of -force, -coro and -park")
	}
	if o.env != "" && !strings.Contains(o.env, "=") {
		return o, fmt.Errorf("-env %s: want NAME=VALUE", o.env)
	}
	if o.reruns < 1 {
		return o, errors.New("-reruns must be above zero")
	}
	var err error
	o.suites, err = choose(f.Args())
	return o, err
}

func main() { command.Main("weldsuites", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return command.Usage, err
	}
	if o.seam, err = seam.Find(o.seam); err != nil {
		return command.Usage, err
	}
	if o.work, err = filepath.Abs(o.work); err != nil {
		return command.Failed, err
	}
	if err := os.MkdirAll(o.work, 0o777); err != nil {
		return command.Usage, err
	}
	r := &runner{options: o, stderr: command.Screen{Writer: stderr}}
	for _, s := range o.suites {
		switch {
		case s.skip == "":
			s.skip = o.skip
		case o.skip != "":
			s.skip += "|" + o.skip
		}
		if err := r.suite(ctx, s); err != nil {
			return command.Failed, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := writeReport(stdout, r.trials, o.list); err != nil {
		return command.Failed, err
	}
	if n := differing(r.trials); n > 0 {
		return command.Missed, fmt.Errorf("%d test results differ when welded", n)
	}
	return 0, nil
}
