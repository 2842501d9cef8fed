package offload

import (
	"fmt"
	"runtime"
)

// Options of a [Pool]. The zero value is ready to use.
type Options struct {
	// Threads is how many threads run C, and so how many calls run at once.
	// 0: GOMAXPROCS, at least 2. Functions that wait rather than compute may well
	// have many more.
	Threads int

	// Queue is how many calls may wait for a thread. When they are that many Do
	// waits and TryDo fails. 0: 64 for each thread.
	Queue int

	// Name is shown in Stats and in errors, and its first 15 bytes by the system
	// as the names of the threads (Linux). "": "offload".
	Name string
}

// Limits, so that a mistaken number is an error and not an exhausted machine.
const (
	maxThreads = 1 << 13 // the Go runtime ends a program of 10000 threads
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
