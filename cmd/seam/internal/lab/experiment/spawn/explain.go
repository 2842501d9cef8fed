package spawn

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func explain(e *result.Experiment) {
	reference.GoroutineStack.Attach(e, goroutineName)
	reference.ThreadStack.Attach(e, virtualName)
	explainTime(e)
	explainMemory(e)
}

func explainTime(e *result.Experiment) {
	goroutine := e.Find(goroutineName, "ns/op")
	thread := e.Find(threadName, "ns/op")
	process := e.Find(processName, "ns/op")
	fork := e.Find(forkName, "ns/op")
	if goroutine != nil {
		text := fmt.Sprintf("Starting a goroutine and waiting for its end costs %s", quantity.Time(goroutine.Median))
		if thread != nil {
			text += fmt.Sprintf(", a thread %s (%s)", quantity.Time(thread.Median), times(e, thread, goroutine))
		}
		if process != nil {
			text += fmt.Sprintf(", a process %s (%s)", quantity.Time(process.Median), times(e, process, goroutine))
		}
		e.Findings = append(e.Findings, text+".")
		e.Findings = append(e.Findings, fmt.Sprintf("Work of less than %s is not worth a goroutine of its own: starting it takes longer.", quantity.Time(goroutine.Median)))
		published := reference.GoroutineStart
		if r := goroutine.Median / published.Value; r < 0.5 || r > 2 {
			e.Notes = append(e.Notes, fmt.Sprintf("The published time to create and schedule a goroutine is %.0f ns (%s), here it is %s: CPU and Go release are newer, "+
				"and goroutines that have ended are reused.", published.Value, published.Source.Setting(), quantity.Time(goroutine.Median)))
		}
	}
	if fork != nil && process != nil {
		e.Notes = append(e.Notes, fmt.Sprintf("Fork alone takes %s, os.StartProcess, which loads another program, %s: "+
			"fork copies the page tables of this process, os.StartProcess lends them to the child until it loads its program (CLONE_VFORK).",
			quantity.Time(fork.Median), quantity.Time(process.Median)))
	}
	dearer(e, thread, goroutine)
	dearer(e, process, thread)

	addChart(e, result.Chart{Kind: result.Bars, Title: "Create, run and join", Unit: "ns",
		Caption: "One after the other, each with an empty body."}, goroutine, thread, process, fork)
}

// dearer notes an unexpected order.
func dearer(e *result.Experiment, more, less *result.Series) {
	if more != nil && less != nil && more.Hi < less.Lo {
		e.Notes = append(e.Notes, fmt.Sprintf("Unexpected: %s (%s) came out cheaper than %s (%s); other load during the run is the likely cause.",
			more.Label, quantity.Time(more.Median), less.Label, quantity.Time(less.Median)))
	}
}

func explainMemory(e *result.Experiment) {
	const million = 1e6
	goroutine := e.Find(goroutineName, "B/unit")
	account := e.Find(runtimeName, "B/unit")
	thread := e.Find(threadName, "B/unit")
	virtual := e.Find(virtualName, "B/unit")
	process := e.Find(processName, "B/unit")
	if goroutine == nil {
		goroutine = account // no /proc: the runtime's own account is the next best
	}
	var text string
	if goroutine != nil {
		text = fmt.Sprintf("A million parked goroutines take %s here", quantity.Bytes(goroutine.Median*million))
		if thread != nil {
			text += fmt.Sprintf(", a million threads would take %s", quantity.Bytes(thread.Median*million))
			if virtual != nil {
				text += fmt.Sprintf(" and %s of address space", quantity.Bytes(virtual.Median*million))
			}
		}
		text += "."
		if n := e.Find(goroutineName+countName, "count"); n != nil {
			text += fmt.Sprintf(" Measured with %s goroutines", quantity.Number(n.Median))
			if n := e.Find(threadName+countName, "count"); n != nil && thread != nil {
				text += fmt.Sprintf(" and %s threads", quantity.Number(n.Median))
			}
			text += "."
		}
		e.Findings = append(e.Findings, text)
	}
	if park := e.Find(parkName, "ns/unit"); park != nil {
		e.Findings = append(e.Findings, fmt.Sprintf("Starting many goroutines and parking them takes %s each, %s for a million.", quantity.Time(park.Median), quantity.Time(park.Median*million)))
	}
	if goroutine != nil && goroutine.Median > reference.GoroutineStack.Value {
		e.Notes = append(e.Notes, fmt.Sprintf("The published 2 KB is a goroutine's stack alone; parked on a channel it takes %s, with its descriptor and its place in the channel's queue.", quantity.Bytes(goroutine.Median)))
	}
	if thread != nil && virtual != nil {
		e.Notes = append(e.Notes, fmt.Sprintf("The published 8 to 10 MB of a thread are address space (here %s). What a waiting thread keeps in RAM is %s: "+
			"a million threads fail because of limits on their number and of kernel memory, not because of 10 TB of stacks.", quantity.Bytes(virtual.Median), quantity.Bytes(thread.Median)))
	}
	addChart(e, result.Chart{Kind: result.Bars, Title: "Memory while waiting", Unit: "B",
		Caption: "Resident memory. Thread and process include their kernel stack, the process also its page tables and its part of shared pages."}, goroutine, thread, process)
}

func addChart(e *result.Experiment, c result.Chart, series ...*result.Series) {
	for _, s := range series {
		if s != nil {
			c.Bars = append(c.Bars, s.Bar())
		}
	}
	if len(c.Bars) > 0 {
		e.Charts = append(e.Charts, c)
	}
}

// times says how many times the base something costs: from the pairs that the
// table shows, where there are any.
func times(e *result.Experiment, s, base *result.Series) string {
	ratio := s.Median / base.Median
	if c := e.Compared(s.Name); c != nil && c.Base == base.Name && c.Unit == s.Unit {
		ratio = c.Ratio
	}
	return quantity.Number(ratio) + " times"
}
