// Command weldbench measures what seam weld gains: it builds the same benchmarks
// as they are and welded, runs both in turns, and prints a table with intervals.
//
//	go run ./bench/cmd/weldbench                        the modules of bench/weld
//	go run ./bench/cmd/weldbench -rounds 3 h3 sqlite    some of them, quickly
//	go run ./bench/cmd/weldbench sqlite@latest          another version than in bench/go.mod
//	go run ./bench/cmd/weldbench -pkg ./mypackage       any package with benchmarks
//
// It ends with code 1 if a target is missed and -strict was asked for, 2 if the
// command line is wrong, 3 if something could not be built or run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/atomicfile"
	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
)

// Where the plan comes from.
const (
	planTraced    = "traced"    // made here, by seam trace and seam plan
	planCommitted = "committed" // the seam.plan beside the benchmarks
)

// Options are the command line.
type options struct {
	seam      string
	plan      string
	pkg       string
	bench     string
	rounds    int
	count     int
	benchtime time.Duration
	tracetime time.Duration
	out       string
	results   string
	work      string
	strict    bool
	verbose   bool
	modules   []string
}

const usage = `Usage: weldbench [flags] [MODULE[@VERSION]…]

Measures benchmarks as they are and welded. MODULE is sqlite, h3, sitter or zstd;
all four without one. VERSION is another than that in bench/go.mod.

`

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := command.Flags("weldbench", usage, stderr)
	f.StringVar(&o.seam, "seam", filepath.Join("bin", "seam"), "the seam to weld with")
	f.StringVar(&o.plan, "plan", planTraced, "traced: trace the benchmarks and plan; committed: the seam.plan beside them; or the file of a plan")
	f.StringVar(&o.pkg, "pkg", "", "folder of a package with benchmarks, instead of the modules")
	f.StringVar(&o.bench, "bench", ".", "run the benchmarks that match this expression, as go test -bench")
	f.IntVar(&o.rounds, "rounds", 20, "rounds; in each, both binaries run twice, in turns")
	f.IntVar(&o.count, "count", 3, "runs of a benchmark in one process; their median counts")
	f.DurationVar(&o.benchtime, "benchtime", 20*time.Millisecond, "length of such a run")
	f.DurationVar(&o.tracetime, "tracetime", 300*time.Millisecond, "length of a benchmark while it is traced")
	f.StringVar(&o.out, "o", "", "write the results to this file, for benchstat")
	f.StringVar(&o.results, "results", "", "write medians and speedups to this file of docs/results")
	f.StringVar(&o.work, "work", "", "keep traces, plans and binaries in this folder")
	f.BoolVar(&o.strict, "strict", false, "end with code 1 if a target is missed")
	f.BoolVar(&o.verbose, "v", false, "show the commands that are run")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	o.modules = f.Args()
	return o, o.check()
}

func (o *options) check() error {
	switch {
	case o.plan == "":
		return fmt.Errorf("-plan is empty: want %s, %s or the file of a plan", planTraced, planCommitted)
	case o.pkg != "" && len(o.modules) > 0:
		return fmt.Errorf("-pkg %s and module %s: choose one", o.pkg, o.modules[0])
	case o.rounds < 1 || o.count < 1 || o.benchtime <= 0 || o.tracetime <= 0:
		return errors.New("-rounds, -count, -benchtime and -tracetime must be above zero")
	}
	for _, m := range o.modules {
		if _, _, err := choose(m); err != nil {
			return err
		}
	}
	return nil
}

func main() { command.Main("weldbench", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return command.Usage, err
	}
	tool, err := seam.Find(o.seam)
	if err != nil {
		return command.Usage, err
	}
	work, remove, err := command.Workspace(o.work, "weldbench")
	if err != nil {
		return command.Usage, err
	}
	defer remove()
	o.work = work
	m := &measurement{options: o, tool: tool, stderr: command.Screen{Writer: stderr}}
	if err := m.build(ctx); err != nil {
		return command.Failed, err
	}
	if err := m.measure(ctx); err != nil {
		return command.Failed, err
	}
	if o.out != "" {
		if err := atomicfile.Write(o.out, m.writeBenchfmt); err != nil {
			return command.Failed, err
		}
	}
	if o.results != "" {
		r := m.results("weldbench " + strings.Join(args, " "))
		if err := atomicfile.Write(o.results, r.Write); err != nil {
			return command.Failed, err
		}
	}
	missed, err := m.report(stdout)
	if err != nil {
		return command.Failed, err
	}
	if missed > 0 && o.strict {
		return command.Missed, fmt.Errorf("%d of the targets are missed", missed)
	}
	return 0, nil
}
