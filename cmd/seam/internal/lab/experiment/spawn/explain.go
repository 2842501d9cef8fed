package spawn

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func explain(e *result.Experiment) {
	reference.GoroutineStack.Attach(e, goroutineName)
	reference.ThreadStack.Attach(e, virtualName)
	a := lab.Analysis{Experiment: e}
	const time, memory = "ns/op", "B/unit"
	a.Headline(goroutineName, time, "to start a goroutine and join it")
	a.Advise(lab.Advice{Name: threadName, Base: goroutineName, Unit: time,
		Slower: "Start goroutines, not threads, for work that waits: a thread against a goroutine ",
		Faster: "Threads start faster here than goroutines: ", Same: "Threads start as fast as goroutines here: ",
	})
	a.Say(
		lab.Tell("Starting and joining costs, against a goroutine: %s.", a.Each(time, goroutineName,
			lab.Named{Name: goroutineName, Words: "goroutine"}, lab.Named{Name: threadName, Words: "thread"},
			lab.Named{Name: processName, Words: "process by os.StartProcess"}, lab.Named{Name: forkName, Words: "process by fork alone"})),
		lab.Tell("Work that takes less than %s is not worth a goroutine of its own.", a.Figure(goroutineName, time)),
		lab.Tell("Parked, each keeps in memory: %s.", a.Each(memory, goroutineName,
			lab.Named{Name: goroutineName, Words: "goroutine"}, lab.Named{Name: threadName, Words: "thread"}, lab.Named{Name: processName, Words: "process"})),
		lab.Tell("Starting one of many goroutines and parking it takes %s.", a.Figure(parkName, "ns/unit")),
	)
	if e.Find(threadName, memory) != nil {
		a.Note(lab.Tell("The published sizes of threads are address space (here %s), of which a waiting thread keeps %s in RAM: many threads fail because of limits on their number and of kernel memory.",
			a.Figure(virtualName, memory), a.Figure(threadName, memory)))
	}
	a.Draw(
		a.Bars(result.Chart{Title: "Create, run and join", Unit: "ns",
			Caption: "One after the other, each with an empty body."}, time, goroutineName, threadName, processName, forkName),
		a.Bars(result.Chart{Title: "Memory while waiting", Unit: "B",
			Caption: "Resident memory. Thread and process include their kernel stack, the process also its page tables and its part of shared pages."},
			memory, goroutineName, threadName, processName))
}
