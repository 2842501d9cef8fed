package leaks

import (
	"fmt"
	"slices"
	"time"
)

// What a verdict needs. Below it nothing is known, and that is said: a table
// that is being filled looks like a leak for as long as it is.
const (
	// leastRun is how long a process has to run: starting and ending it count too.
	leastRun = time.Second

	// leastGrowth is how many blocks more there have to be at the end than after
	// the first quarter: a few connections that are open are no leak.
	leastGrowth = 16
)

// A verdict is a class and, for Unclear, why nothing better is known.
type verdict struct {
	class Class
	why   string
}

// worse has the classes from what most needs a look. What is harmless has to be so
// in all processes.
var worse = []Class{Growing, Unclear, Steady, Once, Init}

// or is the worse of two verdicts. One of no class says nothing.
func (v verdict) or(w verdict) verdict {
	if v.class == "" || w.class != "" && slices.Index(worse, w.class) < slices.Index(worse, v.class) {
		return w
	}
	return v
}

// The first quarter of a run is start-up. The rest has so many windows of so many
// samples.
const (
	windows = 6
	samples = 4
)

// judge tells from how many blocks were live at each time of a run whether they
// grow. Programs hold and release blocks all the time, so it looks at low-water
// marks: of a leak they rise in nearly every window, and about as fast at the end
// as before; of a pool they rise ever more slowly; of what is released now and then
// they fall back.
func judge(wall time.Duration, made uint64, live func(ns int64) uint64) verdict {
	switch {
	case wall < leastRun:
		return verdict{Unclear, fmt.Sprintf("the process ran for %s, and it takes %s", wall.Round(time.Millisecond/10), leastRun)}
	case made == 1:
		return verdict{class: Once}
	}
	var all []uint64 // samples, the last at the end
	const n = windows * samples
	for i := range n {
		all = append(all, live(int64(wall)/4+int64(wall)/4*3/n*int64(i+1)))
	}
	all[n-1] = live(int64(wall))
	var marks, spreads []uint64
	for w := range slices.Chunk(all, samples) {
		low := slices.Min(w)
		marks, spreads = append(marks, low), append(spreads, slices.Max(w)-low)
	}
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
		case growth < leastGrowth:
			return verdict{Unclear, fmt.Sprintf("only %d more since the first quarter of the run, and it takes %d", growth, leastGrowth)}
		case growth < first/20:
			return verdict{Unclear, fmt.Sprintf("%d more is little beside %d", growth, first)}
		case growth < 2*spread:
			return verdict{Unclear, "it goes up and down by as much as it grows"}
		case 5*(last-middle) < 3*(middle-first):
			return verdict{Unclear, "it still grows, but ever more slowly"}
		}
		return verdict{class: Growing}
	}
	before, after := slices.Min(all[:n/2]), slices.Min(all[n/2:])
	earlier := slices.Max(all[:n-samples])
	if slices.Max(all[n/2:])-slices.Min(all[n/2:]) <= spread/2 {
		return verdict{class: Steady} // it has come to rest
	}
	switch end := all[n-1]; {
	case after > before && after-before > spread/2:
		return verdict{Unclear, fmt.Sprintf("it rose from %d to %d, but not evenly", before, after)}
	case end > earlier && end-earlier > spread/2:
		return verdict{Unclear, fmt.Sprintf("it rose from %d to %d just before the end", earlier, end)}
	}
	return verdict{class: Steady}
}
