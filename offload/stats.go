package offload

import "time"

// Stats are the figures of a [Pool], with JSON tags, so
//
//	expvar.Publish("offload", expvar.Func(func() any { return pool.Stats() }))
//
// publishes them. The fields are read one by one while the pool works, so they may disagree
// by a few calls.
type Stats struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"` // on which calls run; 0 once the pool has closed
	Busy    int    `json:"busy"`    // of these, how many are in C now
	Queued  int    `json:"queued"`  // calls that wait for a thread
	Waiting int    `json:"waiting"` // calls of Do that wait for room in the queue

	Done         uint64 `json:"done"`          // calls that C has run to the end
	Cancelled    uint64 `json:"cancelled"`     // calls whose context ended before or while they ran
	Rejected     uint64 `json:"rejected"`      // calls that failed with ErrFull or ErrClosed
	ThreadsEnded uint64 `json:"threads_ended"` // calls that failed with ErrThreadEnded

	Waited    time.Duration `json:"waited_ns"`     // time in the queue of all calls that ran
	MaxWaited time.Duration `json:"max_waited_ns"` // the longest of them
	Ran       time.Duration `json:"ran_ns"`        // time in C of all calls of Done
	MaxRan    time.Duration `json:"max_ran_ns"`    // the longest of them

	// For how long the oldest call that runs now has been running, and the name of its
	// function, if it was made by Of. A C function that never returns shows here.
	Longest     time.Duration `json:"longest_ns"`
	LongestFunc string        `json:"longest_func"`
}
