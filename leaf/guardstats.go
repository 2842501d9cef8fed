package leaf

import "time"

// A GuardStat says what guard mode has seen of one C function. The times are
// of the wall clock: they include what the thread spent waiting for a
// processor.
type GuardStat struct {
	Name  string        // given to [Of], else the C symbol, else its address
	Calls uint64        // calls that returned
	Over  uint64        // of these, how many took longer than the budget
	Total time.Duration // of all calls
	Worst time.Duration // of the slowest
}
