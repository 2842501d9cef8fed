package leaf

import "time"

// Stats are the figures of guard mode and of the watch, with JSON tags for expvar and the like.
type Stats struct {
	Functions []FuncStats `json:"functions"` // the one with the largest Total first; none where guard mode is off

	// Kept is how often the watch has found a leaf that kept its processor for 200 ms or more. Each
	// function and place is named on standard error, once.
	Kept uint64 `json:"kept"`
}

// FuncStats are the figures of one C function. The times are of the wall clock: they
// include what the thread spent waiting for a processor.
type FuncStats struct {
	Name    string        `json:"name"`  // given to [Of], else the C symbol, else its address
	Calls   uint64        `json:"calls"` // that returned
	Over    uint64        `json:"over"`  // of these, how many took longer than the budget
	Total   time.Duration `json:"total_ns"`
	Longest time.Duration `json:"longest_ns"`
}
