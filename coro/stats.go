package coro

// Stats are figures about the coroutines of a program, with JSON tags for expvar and the
// like. Stacks are shared by all runners, so the figures are the program's.
type Stats struct {
	Stacks    []StackStats `json:"stacks"`    // by size, those ever used; none where coroutines have no stacks of their own
	Waiting   int          `json:"waiting"`   // coroutines that wait for a descriptor
	Kept      uint64       `json:"kept"`      // how often C was seen to wait where it keeps a processor from Go, see the package comment
	Abandoned uint64       `json:"abandoned"` // coroutines that would not end, see the package comment; their stacks are lost
}

// StackStats are figures about the stacks of one size.
type StackStats struct {
	Size      int `json:"size"`       // bytes that C can use of one, but for 256
	Made      int `json:"made"`       // how many there are
	InUse     int `json:"in_use"`     // by calls and Coroutines
	HighWater int `json:"high_water"` // most bytes that C has used of one, in whole pages
}

// ExecutorStats are figures about an [Executor], with JSON tags like those of [Stats].
type ExecutorStats struct {
	Threads int `json:"threads"` // 0 where each call has a thread of its own, see Status
	Calls   int `json:"calls"`   // under way
	Waiting int `json:"waiting"` // calls that wait for room
}
