package plan

import (
	"slices"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// Trust says how much a trace has to show, by what is known of the C.
type trust int

const (
	waits   trust = iota // it can wait for locks, threads or devices: seen once, it will again
	open                 // not all is known of it
	bounded              // its call graph is closed: it can't wait, and the trace only has to agree
)

// What is tolerated. In a closed graph nothing waits but for memory, and a long call is a
// long computation at worst.
var tolerated = [...]struct {
	long    float64       // share of calls that may run for --max or longer, besides those that the machine explains
	once    time.Duration // and how long they may run
	blocked float64       // share of calls that may wait
	least   uint64        // one in how many of --min-calls is needed
}{
	waits:   {1.0 / 10_000, 10 * time.Millisecond, 0, 1},
	open:    {1.0 / 10_000, 10 * time.Millisecond, 1.0 / 10_000, 1},
	bounded: {1.0 / 1000, 100 * time.Millisecond, 1.0 / 100, 10},
}

// trustIn is how much is known of a function.
func trustIn(known *callgraph.Function) trust {
	if known == nil {
		return open
	}
	if _, isOpen := known.Open(); !isOpen {
		return bounded
	}
	if _, may := mayWait(known); may {
		return waits
	}
	return open
}

// mayWait is how a function may come to wait: for a device or the time, a thread or a lock.
func mayWait(known *callgraph.Function) (callgraph.Finding, bool) {
	if x, ok := known.Waits(); ok {
		return x, true
	}
	if x, ok := known.Threads(); ok {
		return x, true
	}
	return known.Locks()
}

// allocators are the C library's functions for memory. How long they take is malloc's
// affair, no matter who calls it: no trace of one program says more about it.
var allocators = []string{cgofile.Malloc, "malloc", "calloc", "realloc", "free"}

func isAllocator(name string, known *callgraph.Function) bool {
	return slices.Contains(allocators, name) && (known == nil || trustIn(known) == bounded)
}
