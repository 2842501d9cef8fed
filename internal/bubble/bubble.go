// Package bubble reports whether a goroutine is in a bubble of testing/synctest.
//
// There package time has a clock of its own, which stands still while a goroutine runs and
// leaps when all are blocked. What a goroutine makes there belongs to the bubble: a channel,
// a timer, a sync.WaitGroup that it adds to, a goroutine that it starts. Used from outside
// they end the program, and used inside, what was made outside does not count as blocking,
// so that the clock stands still. Hence the library
//
//   - keeps no channel and no timer from a bubble for later calls,
//   - makes what all calls share outside, see package outside,
//   - waits for C, threads and descriptors by the system's clock, as package net does, and
//     for time alone by the bubble's.
package bubble

import "time"

// Inside reports whether the goroutine is in a bubble.
func Inside() bool { return Has(time.Now()) }

// Has reports whether t, which time.Now has just returned, is a bubble's. Such times have no
// reading of the monotonic clock (Round takes it off), and all others have one.
func Has(t time.Time) bool { return t == t.Round(0) }
