package switches

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

const unit = "ns/op"

// costs are what one switch with a working set costs, taken apart.
type costs struct {
	direct   float64 // the switch itself
	indirect float64 // caches and TLB that have to be filled again
	touching float64 // the touching, which a party would do without a switch too
}

func measured(e *result.Experiment, kind string, ws int) (float64, bool) {
	return lab.Analysis{Experiment: e}.Median(name(kind, ws), unit)
}

// over is what kind adds to touching alone.
func over(e *result.Experiment, k kind, ws int) (float64, bool) {
	with, ok := measured(e, k.name, ws)
	without, ok2 := measured(e, k.none, ws)
	return with - without, ok && ok2
}

func breakDown(e *result.Experiment, k kind, ws int) (costs, bool) {
	direct, ok := over(e, k, 0)
	all, ok2 := over(e, k, ws)
	touching, ok3 := measured(e, k.none, ws)
	return costs{direct, all - direct, touching}, ok && ok2 && ok3
}

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	a.Headline(name("goroutine", 0), unit, "to switch to another goroutine")
	each := func(ws int, base string, kinds ...string) lab.Part {
		var list []lab.Named
		for _, k := range kinds {
			list = append(list, lab.Named{Name: name(k, ws), Words: label(k)})
		}
		return a.Each(unit, name(base, ws), list...)
	}
	a.Advise(lab.Advice{Name: name("thread", 0), Base: name("goroutine", 0), Unit: unit,
		Slower: "Wait in goroutines, not in threads: a switch between threads against one between goroutines ",
		Faster: "Threads switch faster here than goroutines: ", Same: "Threads switch as fast as goroutines here: ",
	})
	a.Say(
		lab.Tell("Switching costs, against goroutines: %s.", each(0, "goroutine", "goroutine", "channel", "iterpull", "futex", "thread", "process")),
		lab.Tell("Processes against threads of one process, by the same means: %s. The change of address space is all that they differ by.", a.Compare(name("process", 0), name("thread", 0), unit)),
		lab.Tell("A cheap system call without any switch, against a switch between goroutines: %s.", each(0, "goroutine", "syscall")),
	)
	drawn := false
	for _, ws := range sizes[1:] {
		before := len(e.Findings)
		a.Say(lab.Tell("With %s to touch after each switch, against touching without one: %s.", lab.Set(bytesLabel(ws)), each(ws, "none", "goroutine", "channel", "iterpull")),
			lab.Tell("The same with threads and processes, touching in C: %s.", each(ws, "none-c", "futex", "thread", "process")))
		drawn = drawn || len(e.Findings) > before
	}
	if drawn {
		a.Note(lab.Tell("In the charts, an indirect cost below zero means that the switch and the touching overlap: " +
			"the CPU is still finishing one party's stores while it switches to the other, and both together take less than the sum of each alone."))
	}
	if c := directChart(e); len(c.Bars) > 0 {
		a.Note(lab.Tell("Both parties share one CPU. Two parties on two CPUs pay for waking the other CPU instead, which can be more or less."))
		e.Charts = append(e.Charts, c)
	}
	for _, ws := range sizes[1:] {
		a.Draw(stackedChart(e, ws))
	}
}

func directChart(e *result.Experiment) result.Chart {
	c := result.Chart{
		Kind:    result.Bars,
		Title:   "Direct cost of one switch",
		Caption: "Nothing is touched between switches. Process, thread and futex: two parties on one CPU. Goroutines and coroutine: GOMAXPROCS=1.",
		Unit:    "ns",
	}
	for _, k := range kinds {
		if s := e.Find(name(k.name, 0), "ns/op"); s != nil && k.none != "" {
			c.Bars = append(c.Bars, s.Bar())
		}
	}
	return c
}

func stackedChart(e *result.Experiment, ws int) result.Chart {
	c := result.Chart{
		Kind:    result.Stacked,
		Title:   "Direct and indirect cost, " + bytesLabel(ws),
		Caption: "Direct is the switch with nothing touched, touching is the same work without a switch, indirect is the rest: refilling caches. A rest below zero is not drawn.",
		Unit:    "ns",
	}
	for _, k := range kinds {
		if k.none == "" {
			continue
		}
		if p, ok := breakDown(e, k, ws); ok {
			c.Stacks = append(c.Stacks, result.Stack{Label: k.label, Parts: []result.Part{
				{Label: "direct", Value: max(0, p.direct)},
				{Label: "indirect", Value: max(0, p.indirect)},
				{Label: "touching", Value: p.touching},
			}})
		}
	}
	return c
}

func label(name string) string {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })].label
}
