package leaks

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/growth"
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

// judge tells from how many blocks were live at each time of a run whether they
// grow.
func judge(wall time.Duration, made uint64, live func(ns int64) uint64) verdict {
	switch {
	case wall < leastRun:
		return verdict{Unclear, fmt.Sprintf("the process ran for %s, and it takes %s", wall.Round(time.Millisecond/10), leastRun)}
	case made == 1:
		return verdict{class: Once}
	}
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	shape, why := growth.Judge(growth.Question{Wall: wall, At: live, Say: number, Least: leastGrowth})
	return verdict{map[growth.Shape]Class{growth.Rises: Growing, growth.Rests: Steady, growth.Slows: Unclear, growth.Little: Unclear, growth.Unclear: Unclear}[shape], why}
}
