package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Options say how long to measure.
type Options struct {
	Rounds   int
	For      time.Duration      // after which no round begins but the second; 0 for all rounds
	Alone    bool               // only the plain program, twice a round
	What     string             // is measured, for the progress
	Progress func(words string) // may be nil
	Note     func(words string) // likewise: what the user should know before the end
	Store    *Store             // where rounds are kept and taken from
}

// Run runs the programs in turns. With an error there may be a result too: of what was
// measured before.
func Run(ctx context.Context, programs []*Program, o Options) (*Result, error) {
	var works []*work
	for _, p := range programs {
		list, err := p.works(ctx, o)
		if err != nil {
			return nil, err
		}
		works = append(works, list...)
	}
	if len(works) == 0 {
		return nil, fmt.Errorf("no benchmark matches %s", programs[0].bench)
	}
	r := &Result{Rounds: o.Rounds}
	err := r.measure(ctx, programs, works, o)
	for _, w := range works {
		for _, row := range w.rows {
			if len(row.Pairs[Cgo]) > 0 {
				r.Rows = append(r.Rows, row)
			}
		}
	}
	if len(r.Rows) == 0 && err == nil {
		err = errors.New("no benchmark had a result: are all of them skipped?")
	}
	if len(r.Rows) == 0 {
		return nil, err
	}
	r.Judge()
	return r, err
}

// sides are those that run.
func (o Options) sides() Side {
	if o.Alone {
		return Weld
	}
	return sides
}

// orders are those of a round: in the second pair the sides have changed places.
func (o Options) orders() [][]Side {
	if o.Alone {
		return [][]Side{{Cgo}, {Cgo}}
	}
	return [][]Side{{Cgo, Weld}, {Weld, Cgo}}
}

// leastRounds are those that make an interval.
const leastRounds = 2

func (r *Result) measure(ctx context.Context, programs []*Program, works []*work, o Options) error {
	past, key, err := o.past(r, programs, works)
	if err != nil {
		return err
	}
	enough := func(round int, spent time.Duration) bool {
		return round >= o.Rounds || round >= leastRounds && o.For > 0 && spent > o.For
	}
	whole := wholeRounds(works)
	if !enough(whole, past) {
		if err := warm(ctx, works, o); err != nil {
			return err
		}
	}
	began := time.Now().Add(-past)
	for round := whole; !enough(round, time.Since(began)); round++ {
		r.Rounds = round + 1
		for _, w := range works {
			if w.rounds > round {
				continue
			}
			if o.Progress != nil {
				o.Progress(fmt.Sprintf("round %d of %d: %s", round+1, o.Rounds, w.name))
			}
			for _, order := range o.orders() {
				if err := w.pair(ctx, r, order); err != nil {
					return err
				}
			}
			w.rounds++
			if o.Store != nil {
				Put(o.Store, key, keptOf(r, works, time.Since(began)))
			}
		}
	}
	return nil
}

// A work is what a process does: one top-level benchmark with those below it, or the program.
type work struct {
	*Program
	name   string
	args   []string
	rows   []*Row
	rounds int // that are measured
}

// warm runs each program once on each side, so that all processes that are measured find its files
// in memory. Where a time is given, a benchmark whose processes don't fit into it is run less often
// in each, and what doesn't fit even so is said.
func warm(ctx context.Context, works []*work, o Options) error {
	processes := leastRounds * len(o.orders()) * int(o.sides())
	part := o.For / time.Duration(processes*len(works))
	var all time.Duration
	for _, w := range works {
		if w.tests && (o.For == 0 || !w.often) {
			continue // nothing is to be learnt
		}
		began := time.Now()
		if err := w.warm(ctx, o); err != nil {
			return err
		}
		once := time.Since(began)
		if w.tests {
			n := int(min(max(part/max(once, 1), 1), runs))
			w.set(n)
			once *= time.Duration(n)
		} else {
			once /= time.Duration(o.sides())
		}
		all += once * time.Duration(processes)
	}
	if o.For > 0 && all > o.For+o.For/2 && o.Note != nil {
		o.Note(fmt.Sprintf("%s%d rounds are the least, and take some %v, which is longer than the time there is for it. Fewer benchmarks are quicker, as by -- go test -bench NAME ./PACKAGE",
			o.What, leastRounds, all.Round(time.Second)))
	}
	return nil
}

// set says how often each process runs the benchmark.
func (w *work) set(n int) {
	for i, a := range w.args {
		if a == countFlag(runs) {
			w.args[i] = countFlag(n)
			return
		}
	}
}

// warm runs a program once on each side, and of a test the plain one, once.
func (w *work) warm(ctx context.Context, o Options) error {
	if w.tests {
		once := *w
		once.args = slices.Clone(w.args)
		once.set(1)
		_, err := w.run(ctx, Cgo, once.args)
		return err
	}
	for side := range o.sides() {
		if o.Note != nil && w.Load == nil {
			tell := time.AfterFunc(patience, func() {
				o.Note(fmt.Sprintf("the program (%s) has not ended after %v: seam waits until it ends by itself. A server is measured with --load 'COMMAND that drives it' --ready URL", side, patience))
			})
			defer tell.Stop()
		}
		if _, err := w.run(ctx, side, w.Args); err != nil {
			return err
		}
	}
	return nil
}

// works are those of a program.
func (p *Program) works(ctx context.Context, o Options) ([]*work, error) {
	if !p.tests {
		return []*work{{Program: p, name: "Program", args: p.Args}}, nil
	}
	// The expression has a part for each level of names.
	top, below := splitLevels(p.bench)
	var names []string
	for side := range o.sides() {
		out, err := start(ctx, side, p.Dir, []string{p.Files[side], "-test.list=" + top}, true)
		if err != nil {
			return nil, err
		}
		names = benchmarkName.FindAllString(string(out.stdout), -1)
	}
	var list []*work
	for _, name := range names {
		w := &work{Program: p, name: name}
		w.args = append([]string{"-test.bench=^" + name + "$" + below}, p.Args...)
		list = append(list, w)
	}
	return list, nil
}

// patience is after how long a program that has not ended may be one that never does.
const patience = 5 * time.Second

// run runs a process of one side.
func (p *Program) run(ctx context.Context, side Side, args []string) (*process, error) {
	line := append([]string{p.Files[side]}, args...)
	if p.Load != nil {
		return p.Load.serve(ctx, side, p.Dir, line)
	}
	return start(ctx, side, p.Dir, line, p.tests)
}

var benchmarkName = regexp.MustCompile(`(?m)^Benchmark\S*$`)

// splitLevels splits an expression for benchmarks before the first slash that is in no
// brackets, as package testing does.
func splitLevels(expr string) (top, below string) {
	square, round := 0, 0
	for i := 0; i < len(expr); i++ {
		switch expr[i] {
		case '[':
			square++
		case ']':
			square = max(0, square-1)
		case '(':
			if square == 0 {
				round++
			}
		case ')':
			if square == 0 {
				round--
			}
		case '\\':
			i++
		case '/':
			if square == 0 && round == 0 {
				return expr[:i], expr[i:]
			}
		}
	}
	return expr, ""
}

// pair runs the two sides one after the other.
func (w *work) pair(ctx context.Context, r *Result, order []Side) error {
	var found [sides]map[string]Sample
	var names [sides][]string
	for _, side := range order {
		p, err := w.run(ctx, side, w.args)
		if err != nil {
			return err
		}
		if side == Weld {
			r.hear(p.said)
		}
		if found[side], names[side], err = w.read(p); err != nil {
			return err
		}
	}
	if len(w.rows) == 0 {
		for _, name := range names[Cgo] {
			w.rows = append(w.rows, &Row{Package: w.Package, Name: name})
		}
	}
	for _, side := range order {
		same := slices.EqualFunc(w.rows, names[side], func(r *Row, name string) bool { return r.Name == name })
		if !same {
			return fmt.Errorf("%s: the program (%s) has other benchmarks than before: those that come and go can't be compared", w.name, side)
		}
	}
	for _, row := range w.rows {
		for _, side := range order {
			row.Pairs[side] = append(row.Pairs[side], found[side][row.Name])
		}
	}
	return nil
}

var number = regexp.MustCompile(`[0-9]+`)

// hear keeps what processes said, and of lines that differ in their figures only the first.
func (r *Result) hear(lines []string) {
	plain := func(s string) string { return number.ReplaceAllString(s, "0") }
	for _, line := range lines {
		if !slices.ContainsFunc(r.Said, func(s string) bool { return plain(s) == plain(line) }) {
			r.Said = append(r.Said, line)
		}
	}
}

// read takes the results from what a process printed.
func (w *work) read(p *process) (found map[string]Sample, names []string, err error) {
	var process []benchfmt.Value
	if p.threads > 0 {
		process = append(process, benchfmt.Value{Value: p.threads, Unit: Threads})
	}
	if p.kB > 0 {
		process = append(process, benchfmt.Value{Value: p.kB * 1024, Unit: Memory})
	}
	found = map[string]Sample{}
	if !w.tests {
		process = append([]benchfmt.Value{{Value: p.wall.Seconds(), Unit: Time}, {Value: p.cpu.Seconds(), Unit: CPU}}, process...)
		name := filepath.Base(w.name)
		found[name] = Sample{1, process}
		return found, []string{name}, nil
	}
	runs := map[string][]*benchfmt.Result{}
	reader := benchfmt.NewReader(bytes.NewReader(p.stdout), w.name)
	for reader.Scan() {
		if x, ok := reader.Result().(*benchfmt.Result); ok {
			x = x.Clone()
			name := string(x.Name)
			if runs[name] == nil {
				names = append(names, name)
			}
			runs[name] = append(runs[name], x)
		}
	}
	if err := reader.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", w.name, err)
	}
	for name, list := range runs {
		s, err := summarise(list)
		if err != nil {
			return nil, nil, err
		}
		s.Values = append(s.Values, process...)
		found[name] = s
	}
	return found, names, nil
}

// summarise takes the medians of the runs of one process: an interruption makes a run
// slower, never faster.
func summarise(runs []*benchfmt.Result) (Sample, error) {
	var s Sample
	for _, r := range runs {
		s.N += r.Iters
	}
	for _, v := range runs[0].Values {
		var all []float64
		for _, r := range runs {
			if x, ok := r.Value(v.Unit); ok {
				all = append(all, x)
			}
		}
		s.Values = append(s.Values, benchfmt.Value{Value: stats.Median(all), Unit: v.Unit})
	}
	if t, _ := s.Value(Time); t <= 0 {
		return Sample{}, errors.New(strings.TrimSpace(string(runs[0].Name)) + ": no time was measured")
	}
	return s, nil
}
