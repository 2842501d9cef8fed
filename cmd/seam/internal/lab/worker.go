package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// leastBlocks is how many blocks every group gets however little time there is.
const leastBlocks = 2

// WorkerMain is the whole life of a worker process: it reads its order from
// stdin, measures one experiment once, and reports on the pipe that its parent
// made. It returns when that is done or ctx is.
//
// The goroutine is not locked to its thread: a locked goroutine is handed over
// through the operating system, and that would be measured as the cost of a
// goroutine switch.
func WorkerMain(ctx context.Context, stdin io.Reader, experiments []Experiment) error {
	events, err := openEvents()
	if err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("no order on standard input: %w", err)
	}
	var order spec
	if err := json.Unmarshal(line, &order); err != nil {
		return fmt.Errorf("order on standard input: %w", err)
	}
	go func() {
		// Nothing more is ever written: reading returns when the parent is gone,
		// however it ended, and then this process must not stay behind.
		_, _ = io.Copy(io.Discard, in)
		endOrphan()
	}()
	return work(ctx, order, experiments, json.NewEncoder(events))
}

// A worker measures one experiment in this process.
type worker struct {
	ctx    context.Context
	round  int
	bench  *Bench
	events *json.Encoder
	lost   error // first failure to report an event
}

func work(ctx context.Context, order spec, experiments []Experiment, events *json.Encoder) error {
	mode, err := ParseMode(order.Mode)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(experiments, func(e Experiment) bool { return e.Name == order.Experiment })
	if i < 0 {
		return fmt.Errorf("unknown experiment %q", order.Experiment)
	}
	w := &worker{ctx: ctx, round: order.Round, bench: NewBench(mode, order.Seed), events: events}
	w.bench.Round = order.Round
	timed, probes := groups(experiments[i].Cases(mode))

	// Each group gets an equal share of the time that is left, so that what one
	// spends on setting up is paid by all and not by the last.
	end := clock() + order.Timed
	w.bench.Rand.Shuffle(len(timed), func(i, j int) { timed[i], timed[j] = timed[j], timed[i] })
	for k, g := range timed {
		if ctx.Err() != nil {
			break
		}
		w.group(g, max(0, end-clock())/time.Duration(len(timed)-k))
	}
	// Probes come last: they may leave a large heap or many threads behind.
	for _, c := range probes {
		if slices.Contains(order.Probes, c.Name) && ctx.Err() == nil {
			w.probe(c)
		}
	}
	if ctx.Err() == nil {
		w.report(event{Kind: evDone})
	}
	return w.lost
}

func (w *worker) report(e event) {
	if err := w.events.Encode(e); err != nil && w.lost == nil {
		w.lost = fmt.Errorf("report to the parent: %w", err)
	}
}

// refuse reports that a case gave no figure.
func (w *worker) refuse(name string, err error) {
	kind := evSkip
	var p *panicked
	if errors.As(err, &p) {
		kind = evFail
	}
	w.report(event{Kind: kind, Case: name, Reason: reason(err)})
}

// panicked is a panic of a case's code, as an error.
type panicked struct{ value any }

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// caught runs f and turns its panic into an error.
func caught(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{v}
		}
	}()
	return f()
}

// An arm is one case that is set up. The base case of a group makes two.
type arm struct {
	name    string // of the case
	control bool
	op      *Op
	samples []result.Sample
}

// group measures one group of timed cases.
func (w *worker) group(g group, budget time.Duration) {
	w.report(event{Kind: evBegin, Case: g.cases[0].Name})
	end := clock() + budget
	defer setProcs(g.procs)()

	arms := w.setup(g)
	defer func() {
		for _, a := range arms {
			if a.op.Close == nil {
				continue
			}
			if err := caught(func() error { a.op.Close(); return nil }); err != nil {
				w.refuse(a.name, fmt.Errorf("close: %w", err))
			}
		}
	}()
	// Garbage of the set-up and of the groups before must not be collected in
	// somebody's sample.
	runtime.GC()
	w.blocks(slices.Clone(arms), end)
	for _, a := range arms {
		if len(a.samples) > 0 {
			w.report(event{Kind: evSamples, Case: a.name, Control: a.control, Samples: a.samples})
		}
	}
}

// setProcs sets GOMAXPROCS and returns what puts it back.
func setProcs(n int) func() {
	if n <= 0 || n == runtime.GOMAXPROCS(0) {
		return func() {}
	}
	old := runtime.GOMAXPROCS(n)
	return func() { runtime.GOMAXPROCS(old) }
}

// setup makes the arms of a group, in random order since what is made first
// may get the better memory.
func (w *worker) setup(g group) []*arm {
	var todo []*arm
	byArm := map[*arm]Case{}
	for i, c := range g.cases {
		a := &arm{name: c.Name}
		todo, byArm[a] = append(todo, a), c
		if i == g.base {
			a = &arm{name: c.Name, control: true}
			todo, byArm[a] = append(todo, a), c
		}
	}
	w.bench.Rand.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })

	var arms []*arm
	refused := map[string]bool{}
	for _, a := range todo {
		if w.ctx.Err() != nil || refused[a.name] {
			continue
		}
		err := caught(func() (err error) {
			if c := byArm[a]; c.Start != nil {
				a.op, err = c.Start(w.ctx, w.bench)
			} else {
				a.op, err = c.Setup()
			}
			if err == nil && (a.op == nil || a.op.Run == nil && a.op.Time == nil) {
				err = errors.New("the experiment made nothing to run")
			}
			return err
		})
		if w.ctx.Err() != nil && err != nil {
			break // cut short: no fault of the case
		}
		if err != nil {
			refused[a.name] = true
			w.refuse(a.name, err)
			continue
		}
		a.samples = make([]result.Sample, 0, 1024)
		arms = append(arms, a)
	}
	return arms
}

// blocks runs the arms until end. An arm that panics is taken out and the
// others go on.
func (w *worker) blocks(arms []*arm, end time.Duration) {
	first := 0 // number of the first block of this attempt
	for len(arms) > 0 && w.ctx.Err() == nil {
		running, last := -1, first-1
		ops := make([]*Op, len(arms))
		for i, a := range arms {
			ops[i] = &Op{N: a.op.N, Run: func(n int) {
				running = i
				a.op.Run(n)
			}}
			if a.op.Time != nil {
				ops[i].Time = func(n int) time.Duration {
					running = i
					return a.op.Time(n)
				}
			}
		}
		err := caught(func() error {
			w.bench.Blocks(w.ctx, ops, leastBlocks, max(0, end-clock()), func(block, i, n int, ns float64) {
				last = first + block
				arms[i].samples = append(arms[i].samples, result.Sample{Round: w.round, Block: last, N: n, Value: ns})
			})
			return nil
		})
		if err == nil || w.ctx.Err() != nil {
			return // the end of ctx ends other processes too, in the middle of a sample
		}
		if running < 0 {
			panic(err) // not a case's: a bug of the lab
		}
		w.refuse(arms[running].name, err)
		arms = slices.Delete(arms, running, running+1)
		first = last + 1
	}
}

// probe runs one probe and reports what it found and how long it took.
func (w *worker) probe(c Case) {
	w.report(event{Kind: evBegin, Case: c.Name})
	defer setProcs(c.Procs)()
	runtime.GC()
	start := clock()
	w.bench.profile = func(p result.Profile) { w.report(event{Kind: evProfile, Case: c.Name, Profile: &p}) }
	defer func() { w.bench.profile = nil }()
	var metrics []Metric
	err := caught(func() (err error) {
		metrics, err = c.Probe(w.ctx, w.bench)
		return err
	})
	w.report(event{Kind: evProbed, Case: c.Name, Seconds: (clock() - start).Seconds()})
	if w.ctx.Err() != nil {
		return // cut short: what it says is not a measurement
	}
	if err != nil {
		w.refuse(c.Name, err)
	}
	for _, m := range metrics {
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			w.report(event{Kind: evFail, Case: c.Name, Reason: fmt.Sprintf("%s is %v", m.Unit, m.Value)})
			continue
		}
		if m.Name == "" {
			m.Name = c.Name
		}
		if m.Label == "" {
			m.Label = c.Label
		}
		w.report(event{Kind: evMetric, Case: c.Name, Metric: &metricEvent{m.Name, m.Unit, m.Label, m.Value}})
	}
}
