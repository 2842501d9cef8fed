package offload

import (
	"fmt"
	"runtime"
)

// Options are the options of a [Pool]. The zero value is ready to use.
type Options struct {
	// Threads is how many threads run C, and so how many calls run at once. For functions
	// that wait rather than compute it may well be far more than the default.
	// 0: GOMAXPROCS, at least 2.
	Threads int

	// Queue is how many calls may wait for a thread. If that many wait, Do waits for room
	// and TryDo fails. 0: 64 for each thread.
	Queue int

	// Name is what Stats and errors call the pool. On Linux its first 15 bytes are the
	// threads' names. "": "offload".
	Name string
}

// Limits, so that a wrong number is an error and does not exhaust the machine.
const (
	maxThreads = 1 << 13 // the Go runtime ends a program with 10000 threads
	maxQueue   = 1 << 20
)

// filled returns the options with the defaults in place.
func (o Options) filled() (Options, error) {
	if o.Threads < 0 || o.Threads > maxThreads {
		return o, fmt.Errorf("offload: Options.Threads is %d: want 1 to %d, or 0 for the default", o.Threads, maxThreads)
	}
	if o.Queue < 0 || o.Queue > maxQueue {
		return o, fmt.Errorf("offload: Options.Queue is %d: want 1 to %d, or 0 for the default", o.Queue, maxQueue)
	}
	if o.Threads == 0 {
		o.Threads = max(2, runtime.GOMAXPROCS(0))
	}
	if o.Queue == 0 {
		o.Queue = min(64*o.Threads, maxQueue)
	}
	if o.Name == "" {
		o.Name = "offload"
	}
	return o, nil
}
