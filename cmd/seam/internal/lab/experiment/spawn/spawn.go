// Package spawn measures the start of a goroutine, a thread and a process, and
// the memory that each takes while it waits.
package spawn

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab spawn`.
var Experiment = lab.Experiment{
	Name:    "spawn",
	Title:   "What does starting a goroutine, a thread or a process cost?",
	Sources: []*result.Source{reference.Coroutines},
	About: "Time: one operation is create, run an empty body and wait for its end: a go statement and a channel (GOMAXPROCS=1), " +
		"pthread_create and pthread_join in C, os.StartProcess of true and Wait, and for comparison fork, _exit and waitpid in C " +
		"(its cost grows with the memory of the forking process, here the lab's worker). " +
		"Memory: many are started, all wait, and the bytes they added are divided by their number. " +
		"Goroutine: growth of the program's resident memory; what=runtime is what the Go runtime accounts for it (StackInuse and HeapInuse of runtime.MemStats). " +
		"Thread: growth of resident memory and one kernel stack; what=virtual is the address space. " +
		"Process: cat waiting for input, its proportional share of resident memory (PSS), its page tables and one kernel stack. " +
		"Other kernel structures of a thread or process, some 10 KB, can't be read and are not counted.",
	Cases:   cases,
	Explain: explain,
}

// counts says how many wait at the same time.
type counts struct{ goroutines, threads, processes int }

func countsOf(mode lab.Mode) counts {
	if mode == lab.Quick {
		return counts{goroutines: 100_000, threads: 200, processes: 16}
	}
	return counts{goroutines: 1_000_000, threads: 1000, processes: 64}
}

// Names of benchmarks that the explanation looks up.
const (
	goroutineName = "Spawn/kind=goroutine"
	threadName    = "Spawn/kind=thread"
	processName   = "Spawn/kind=process"
	forkName      = "Spawn/kind=fork"

	runtimeName  = goroutineName + "/what=runtime"
	parkName     = goroutineName + "/what=park"
	virtualName  = threadName + "/what=virtual"
	residentName = "/what=resident"
	kernelName   = "/what=kernel"
	countName    = "/what=count"
	parkedName   = "/what=parked" // the cases that measure memory
)

// The memory cases come last: a million goroutines leave a larger program
// behind, which would change the price of a fork.
func cases(mode lab.Mode) []lab.Case {
	n := countsOf(mode)
	probe := func(f func(context.Context, int) ([]lab.Metric, error), n int) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
		return func(ctx context.Context, _ *lab.Bench) ([]lab.Metric, error) { return f(ctx, n) }
	}
	return []lab.Case{
		{Name: goroutineName, Label: "goroutine", Group: "time", Base: true, Procs: 1, Setup: setupGoroutine,
			Reference: reference.GoroutineStart.Reference()},
		{Name: threadName, Label: "thread (pthread)", Group: "time", Procs: 1, Setup: setupThread},
		{Name: processName, Label: "process (os.StartProcess)", Group: "time", Procs: 1, Setup: setupProcess},
		{Name: forkName, Label: "process (fork in C)", Group: "time", Procs: 1, Setup: setupFork},
		{Name: goroutineName + parkedName, Label: "parked goroutine", Group: "memory", Probe: probe(parkGoroutines, n.goroutines)},
		{Name: threadName + parkedName, Label: "parked thread", Group: "memory", Probe: probe(parkThreads, n.threads)},
		{Name: processName + parkedName, Label: "parked process", Group: "memory", Probe: probe(parkProcesses, n.processes)},
	}
}
