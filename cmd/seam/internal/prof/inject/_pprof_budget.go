package pprof

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A SeamBudget counts the CPU time that recording takes, all of it, and keeps what can be left out
// below a hundredth of one processor.
type SeamBudget struct {
	began time.Time
	used  atomic.Int64
	maps  atomic.Int64 // what it takes to read the list of mappings
}

const (
	seamShare = 125                   // one part in so many
	seamFirst = 20 * time.Millisecond // besides, for a program that has just begun
)

// NewSeamBudget begins to count.
func NewSeamBudget() *SeamBudget { return &SeamBudget{began: time.Now()} }

// Do does something, and counts and returns the CPU time that it takes.
func (b *SeamBudget) Do(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := seamThreadTime()
	f()
	took := seamThreadTime() - begin
	b.used.Add(took)
	return time.Duration(took)
}

// Count returns the CPU time that something takes which Do does, as a part of it.
func (b *SeamBudget) Count(f func()) time.Duration {
	begin := seamThreadTime()
	f()
	return time.Duration(seamThreadTime() - begin)
}

// Used is the time that was counted.
func (b *SeamBudget) Used() time.Duration { return time.Duration(b.used.Load()) }

// Allows reports whether something may be done now that takes so long.
func (b *SeamBudget) Allows(cost time.Duration) bool {
	return b.Used()+cost <= seamFirst+time.Since(b.began)/seamShare
}

// AllowsPart is Allows for what has used so much and may take one part in so many of the budget, so
// that something is left for what costs more at a time.
func (b *SeamBudget) AllowsPart(part int, used, cost time.Duration) bool {
	return b.Allows(cost) && time.Duration(part)*(used+cost) <= seamFirst+time.Since(b.began)/seamShare
}

// pause is how long to wait before something is done again: longer where there is nothing left.
func (b *SeamBudget) pause(d time.Duration) time.Duration {
	const longer = 5
	if !b.Allows(0) {
		return min(longer*d, max(d, time.Second/4))
	}
	return d
}

func seamThreadTime() int64 {
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}
