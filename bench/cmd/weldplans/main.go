// Command weldplans makes plans of one program from traces that were taken under different
// loads, and says how far they agree:
//
//	go run ./bench/cmd/weldplans -pkg ./bench/weld/sqlite
//
// A plan that hangs on how busy the machine was while it was made is luck. Each trace runs
// beside so many busy loops as its turn has: 0, 1, 2, 3, 4, and again. It ends with code 1
// if fewer than -agree of the lines are the same in all plans.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
)

const help = `weldplans makes plans from traces under different loads, and says how far they agree.

	weldplans -pkg ./bench/weld/sqlite

`

type options struct {
	seam, pkg, bench string
	traces, most     int
	tracetime        time.Duration
	agree            float64
	work             string
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := command.Flags("weldplans", help, stderr)
	f.StringVar(&o.seam, "seam", "bin/seam", "the seam to run")
	f.StringVar(&o.pkg, "pkg", "", "folder of a package with benchmarks")
	f.StringVar(&o.bench, "bench", ".", "run the benchmarks that match this expression")
	f.IntVar(&o.traces, "traces", 10, "how many traces")
	f.IntVar(&o.most, "most", 4, "the most busy loops beside a trace")
	f.DurationVar(&o.tracetime, "tracetime", 300*time.Millisecond, "length of a benchmark while it is traced")
	f.Float64Var(&o.agree, "agree", 0.95, "the share of lines that must be the same in all plans")
	f.StringVar(&o.work, "work", "", "keep traces and plans in this folder")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	switch {
	case o.pkg == "":
		return o, errors.New("-pkg names the folder of a package with benchmarks")
	case o.traces < 2 || o.most < 0 || o.tracetime <= 0 || o.agree < 0 || o.agree > 1:
		return o, errors.New("-traces must be 2 or more, -tracetime above zero, -most not below it, and -agree from 0 to 1")
	}
	return o, nil
}

func main() { command.Main("weldplans", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return command.Usage, err
	}
	tool, err := seam.Find(o.seam)
	if err != nil {
		return command.Usage, err
	}
	dir, err := filepath.Abs(o.pkg)
	if err != nil {
		return command.Usage, err
	}
	work, remove, err := command.Workspace(o.work, "weldplans")
	if err != nil {
		return command.Usage, err
	}
	defer remove()
	o.work = work
	screen := command.Screen{Writer: stderr}
	project := seam.Project{Seam: tool, Dir: dir}
	var plans []lines
	for i := range o.traces {
		loops := i % (o.most + 1)
		screen.Say("trace %d of %d, beside %d busy loops", i+1, o.traces, loops)
		p, err := onePlan(ctx, project, o, i, loops)
		if err != nil {
			return command.Failed, err
		}
		plans = append(plans, p)
	}
	screen.Say("")
	a := compare(plans)
	if err := a.write(stdout); err != nil {
		return command.Failed, err
	}
	if a.share() < o.agree {
		return command.Missed, fmt.Errorf("%.1f %% of the lines agree, fewer than %.1f %%", 100*a.share(), 100*o.agree)
	}
	return 0, nil
}

// onePlan traces the benchmarks beside busy loops and makes a plan of that.
func onePlan(ctx context.Context, p seam.Project, o options, i, loops int) (lines, error) {
	trace := filepath.Join(o.work, fmt.Sprintf("%d.trace", i))
	plan := filepath.Join(o.work, fmt.Sprintf("%d.plan", i))
	stop, err := load(ctx, loops)
	if err != nil {
		return nil, err
	}
	err = p.Trace(ctx, trace, "test", "-run", "^$", "-bench", o.bench, "-benchtime", o.tracetime.String(), ".")
	stop()
	if err != nil {
		return nil, err
	}
	if err := p.Plan(ctx, trace, plan); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(plan)
	if err != nil {
		return nil, err
	}
	return read(string(text)), nil
}
