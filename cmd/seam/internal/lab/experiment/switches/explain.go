package switches

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// An estimate is a figure in ns with half the width of its interval.
type estimate struct{ value, err float64 }

func (a estimate) minus(b estimate) estimate {
	return estimate{a.value - b.value, math.Hypot(a.err, b.err)}
}

// clear reports whether the figure is distinguishable from zero.
func (a estimate) clear() bool { return math.Abs(a.value) > a.err }

// costs are what one switch with a working set costs, taken apart.
type costs struct {
	direct   estimate // the switch itself
	indirect estimate // caches and TLB that have to be filled again
	touching estimate // the touching, which a party would do without a switch too
}

func measured(e *result.Experiment, kind string, ws int) (estimate, bool) {
	s := e.Find(name(kind, ws), "ns/op")
	if s == nil {
		return estimate{}, false
	}
	return estimate{s.Median, (s.Hi - s.Lo) / 2}, true
}

// over is what kind adds to touching alone.
func over(e *result.Experiment, k kind, ws int) (estimate, bool) {
	with, ok := measured(e, k.name, ws)
	without, ok2 := measured(e, k.none, ws)
	return with.minus(without), ok && ok2
}

func breakDown(e *result.Experiment, k kind, ws int) (costs, bool) {
	direct, ok := over(e, k, 0)
	all, ok2 := over(e, k, ws)
	touching, ok3 := measured(e, k.none, ws)
	return costs{direct, all.minus(direct), touching}, ok && ok2 && ok3
}

func explain(e *result.Experiment) {
	direct := map[string]estimate{}
	for _, k := range kinds {
		if d, ok := over(e, k, 0); ok && k.none != "" {
			direct[k.name] = d
		}
	}
	a := lab.Analysis{Experiment: e}
	a.Say(directFindings(direct)...)
	a.Note(orderNotes(direct)...)
	for _, k := range kinds {
		if d, ok := direct[k.name]; ok && k.ref != nil {
			a.Note(publishedNote(k, d))
		}
	}
	below := false
	for _, ws := range sizes[1:] {
		finding, negative := indirectFinding(e, ws)
		a.Say(finding)
		below = below || negative
	}
	if below {
		a.Note("An indirect cost below zero means that the switch and the touching overlap: " +
			"the CPU is still finishing one party's stores while it switches to the other, and both together take less than the sum of each alone.")
	}
	if len(direct) > 0 {
		a.Note("Both parties share one CPU. Two parties on two CPUs pay for waking the other CPU instead, which can be more or less.")
		e.Charts = append(e.Charts, directChart(e))
	}
	for _, ws := range sizes[1:] {
		a.Draw(stackedChart(e, ws))
	}
}

func directFindings(direct map[string]estimate) []string {
	var out []string
	process, haveProcess := direct["process"]
	thread, haveThread := direct["thread"]
	futex, haveFutex := direct["futex"]
	goroutine, haveGoroutine := direct["goroutine"]
	call, haveCall := direct["syscall"]
	if haveProcess && haveThread {
		s := fmt.Sprintf("Switching processes costs %s here, switching threads of one process by the same means %s: ", quantity.Time(process.value), quantity.Time(thread.value))
		if d := process.minus(thread); d.value > 0 && d.clear() {
			s += fmt.Sprintf("the change of address space is %s of it.", quantity.Time(d.value))
		} else {
			s += "the change of address space is too small to measure."
		}
		out = append(out, s)
	}
	if haveFutex && haveThread && thread.value > 0 {
		out = append(out, fmt.Sprintf("With a bare futex in place of the pipe a thread switch costs %s, %.0f %% of that.", quantity.Time(futex.value), 100*futex.value/thread.value))
	}
	var inGo []string
	for _, k := range []string{"goroutine", "channel", "iterpull"} {
		if d, ok := direct[k]; ok {
			inGo = append(inGo, fmt.Sprintf("%s %s", label(k), quantity.Time(d.value)))
		}
	}
	if len(inGo) > 0 {
		out = append(out, "Switches within the program: "+strings.Join(inGo, ", ")+".")
	}
	if haveThread && haveGoroutine && goroutine.value > 0 {
		out = append(out, fmt.Sprintf("For the price of one thread switch you get %.0f goroutine switches.", thread.value/goroutine.value))
	}
	if haveCall && haveGoroutine && goroutine.value > 0 {
		out = append(out, fmt.Sprintf("A cheap system call costs %s without any switch, %.1f times a goroutine switch.", quantity.Time(call.value), call.value/goroutine.value))
	}
	return out
}

// orders are what one would expect from how the kinds work: that the
// first is dearer than the second, and what it may mean if it isn't.
var orders = []struct{ dear, cheap, why string }{
	{"process", "thread", "they differ only in the page table, and with tagged TLB entries (PCID, ASID) changing it costs less than two pairs differ by chance"},
	{"thread", "futex", "a pipe does all that a futex does and copies a byte; other load on this CPU during the run is the likely cause"},
	{"futex", "goroutine", "a thread switch goes through the kernel, a goroutine switch does not; other load on this CPU during the run is the likely cause"},
	{"futex", "syscall", "the hand-over makes two system calls of its own; other load on this CPU during the run is the likely cause"},
	{"goroutine", "iterpull", "a coroutine switch skips the scheduler's queue; the Go release may have changed one of them"},
}

func orderNotes(direct map[string]estimate) []string {
	var out []string
	for _, o := range orders {
		dear, ok := direct[o.dear]
		cheap, ok2 := direct[o.cheap]
		if d := dear.minus(cheap); ok && ok2 && d.value < 0 && d.clear() {
			out = append(out, fmt.Sprintf("Unexpected: %s (%s) came out cheaper than %s (%s): %s.",
				label(o.dear), quantity.Time(dear.value), label(o.cheap), quantity.Time(cheap.value), o.why))
		}
	}
	return out
}

// publishedNote says why our figure may be far from the published one.
func publishedNote(k kind, d estimate) string {
	if ratio := d.value / k.ref.Value; ratio > 1/1.5 && ratio < 1.5 {
		return ""
	}
	why := "the runtime's scheduler and the CPU have changed since 2019"
	if k.name == "process" {
		why = "CPU, kernel and its mitigations have changed since 2019, both processes are pinned to one CPU, " +
			"and tagged TLB entries (PCID, ASID) survive the change of address space"
	}
	return fmt.Sprintf("The published figure for %s is %s (%s), here it is %s: %s.", k.label, quantity.Time(k.ref.Value), k.ref.Source.Setting(), quantity.Time(d.value), why)
}

// indirectFinding reports the indirect cost with one working set, and whether
// any is below zero.
func indirectFinding(e *result.Experiment, ws int) (finding string, negative bool) {
	var told, unclear []string
	for _, k := range kinds {
		if k.none == "" {
			continue
		}
		c, ok := breakDown(e, k, ws)
		switch {
		case !ok:
			continue
		case !c.indirect.clear():
			unclear = append(unclear, k.label)
		default:
			told = append(told, fmt.Sprintf("%s %s", k.label, quantity.Time(c.indirect.value)))
			negative = negative || c.indirect.value < 0
		}
	}
	if len(unclear) > 0 {
		told = append(told, "too small to tell for "+strings.Join(unclear, ", "))
	}
	if len(told) == 0 {
		return "", false
	}
	return fmt.Sprintf("Indirect cost of a switch with %s: %s.", bytesLabel(ws), strings.Join(told, "; ")), negative
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
				{Label: "direct", Value: max(0, p.direct.value)},
				{Label: "indirect", Value: max(0, p.indirect.value)},
				{Label: "touching", Value: p.touching.value},
			}})
		}
	}
	return c
}

func label(name string) string {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })].label
}
