package coro

// Stats are figures about the coroutines of a program.
type Stats struct {
	Stacks    []StackStats // by size, those that were ever used
	Waiting   int          // coroutines that wait for a descriptor
	Abandoned int64        // coroutines that would not end, see the package comment; their stacks are lost
}

// StackStats are figures about the stacks of one size. They are nil where coroutines
// have no stacks of their own.
type StackStats struct {
	Size      int // bytes that C can use of one, but for 256
	Made      int // how many there are
	InUse     int // by calls and Coroutines
	HighWater int // most bytes that C has used of one, in whole pages
}
