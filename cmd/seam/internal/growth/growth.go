// Package growth tells from a history of what a program holds whether it grows: blocks of a
// place, or bytes of a kind of memory. It knows nothing of where the history comes from.
package growth

import (
	"fmt"
	"slices"
	"time"
)

// A Shape is what a history looks like.
type Shape int

// The shapes.
const (
	Unclear Shape = iota // it can't be told, and why is said
	Rises                // until the end: what leaks does so
	Slows                // it rises, but ever more slowly, as what fills up does; said why as well
	Little               // it rises until the end, by little beside what there is; why says so
	Rests                // it came to rest, or goes up and down
)

// A Question is a history, and what it takes to judge it.
type Question struct {
	Wall time.Duration
	At   func(ns int64) uint64 // what was held some time after the start
	Say  func(uint64) string   // an amount

	// Least is how much more there has to be at the end than after the first quarter: a few
	// connections that are open are no leak.
	Least uint64
}

// The first quarter of a run is start-up. The rest has so many windows of so many
// samples.
const (
	windows = 6
	samples = 4
)

// Judge tells a history's shape, and why if it is no clear one. Programs hold and release things all
// the time, so it looks at low-water marks: of a leak they rise in nearly every window, and about as
// fast at the end as before; of a pool they rise ever more slowly; of what is released now and then
// they fall back.
func Judge(q Question) (shape Shape, why string) {
	var all []uint64 // samples, the last at the end
	const n = windows * samples
	for i := range n {
		all = append(all, q.At(int64(q.Wall)/4+int64(q.Wall)/4*3/n*int64(i+1)))
	}
	all[n-1] = q.At(int64(q.Wall))
	var marks, spreads []uint64
	for w := range slices.Chunk(all, samples) {
		low := slices.Min(w)
		marks, spreads = append(marks, low), append(spreads, slices.Max(w)-low)
	}
	end := spreads[windows-1] // of the last window
	slices.Sort(spreads)
	spread := spreads[windows/2] // within a window

	first, middle, last := marks[0], marks[windows/2-1], marks[windows-1]
	rises := 0
	for i := 1; i < windows; i++ {
		switch {
		case marks[i] > marks[i-1]:
			rises++
		case marks[i] < marks[i-1]:
			rises -= windows // released
		}
	}
	if rises >= windows-2 {
		growth := last - first
		switch {
		case growth < q.Least:
			return Unclear, fmt.Sprintf("only %s more since the first quarter of the run, and it takes %s", q.Say(growth), q.Say(q.Least))
		case growth < first/20:
			return Little, fmt.Sprintf("%s more is little beside %s", q.Say(growth), q.Say(first))
		case growth < 2*spread:
			return Unclear, "it goes up and down by as much as it grows"
		case 5*(last-middle) < 3*(middle-first):
			return Slows, "it still grows, but ever more slowly"
		case 4*end < spread: // what has filled up evenly does so
			return Unclear, fmt.Sprintf("it rose from %s to %s, and hardly in the last eighth of the run", q.Say(first), q.Say(last))
		}
		return Rises, ""
	}
	before, after := slices.Min(all[:n/2]), slices.Min(all[n/2:])
	earlier := slices.Max(all[:n-samples])
	if slices.Max(all[n/2:])-slices.Min(all[n/2:]) <= spread/2 {
		return Rests, "" // it has come to rest
	}
	switch end := all[n-1]; {
	case after > before && after-before > spread/2:
		return Unclear, fmt.Sprintf("it rose from %s to %s, but not evenly", q.Say(before), q.Say(after))
	case end > earlier && end-earlier > spread/2:
		return Unclear, fmt.Sprintf("it rose from %s to %s just before the end", q.Say(earlier), q.Say(end))
	}
	return Rests, ""
}
