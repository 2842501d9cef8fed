// Package buffers compares the places where a buffer can live: the goroutine's
// stack, a pool, the heap.
package buffers

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab buffers`.
var Experiment = lab.Experiment{
	Name:    "buffers",
	Title:   "Stack, pool or make: where should a buffer live?",
	Sources: []*result.Source{reference.StackBuffers},
	About: "One operation gets two buffers of a size, fills one, copies it to the other, and gives both back. " +
		"With system calls: a file is opened, read into the first and closed, the second is written to the null device (the file is the running program's own). " +
		"Without: the first is filled from memory, and each cache line of the second is read. " +
		"Stack: two local arrays, which Go clears each time (cleared once: for n operations together); pool: sync.Pool; make: from the heap, with the collections that it causes (gc=off: without any); " +
		"reused slice: two that the goroutine keeps; free list: a channel that all share. An arena that is reset each time is a reused slice. " +
		"Warm: on one goroutine, whose stack has grown, with filled pool and list; make is timed over whole cycles of the collector. " +
		"Fresh: a goroutine is started for each operation and waited for; the case without buffers and work shows what that alone costs. " +
		"After GC: after two collections, which empty a pool and shrink the stack; they are not timed. " +
		"GOMAXPROCS=1, or with procs=all as many goroutines as GOMAXPROCS has, each with its own file and slices: " +
		"the time is that of one operation on one of them while the others do the same.",
	Cases:   cases,
	Explain: explain,
}

var sizes = []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10}

// States of the goroutine and the pool.
const (
	stateWarm  = "warm"
	stateFresh = "fresh"
	stateGC    = "gc"
)

// A situation is what a buffer is needed in.
type situation struct {
	state string
	io    bool // with system calls
	all   bool // on all processors at once
}

// situations are in the order in which they are reported.
var situations = func() (list []situation) {
	for _, all := range []bool{false, true} {
		for _, state := range []string{stateWarm, stateFresh, stateGC} {
			if all && state == stateGC {
				continue // a collection stops all of them, so there is nothing to distinguish
			}
			list = append(list, situation{state, false, all}, situation{state, true, all})
		}
	}
	return list
}()

func (s situation) String() string {
	text := map[string]string{stateWarm: "warm", stateFresh: "fresh", stateGC: "after GC"}[s.state]
	if s.io {
		text += ", file"
	}
	if s.all {
		text += ", all procs"
	}
	return text
}

// inQuick reports whether a quick run has time for it.
func (s situation) inQuick() bool { return s.state == stateWarm && !(s.io && s.all) || !s.io && !s.all }

// name is that of a benchmark. The published one has no further parts.
func (s situation) name(from string, size int) string {
	text := fmt.Sprintf("Buffers/from=%s/size=%d/state=%s", from, size, s.state)
	if !s.io {
		text += "/io=none"
	}
	if s.all {
		text += "/procs=all"
	}
	return text
}

// Variants that show where the time goes.
func (s situation) clearedOnce(size int) string { return s.name(fromStack, size) + "/zero=once" }
func (s situation) uncollected(size int) string { return s.name(fromMake, size) + "/gc=off" }

// published is the figure for a case, or nil.
func published(from string, size int, s situation) *result.Reference {
	if s != (situation{state: stateWarm, io: true}) {
		return nil
	}
	for _, r := range reference.Buffers {
		switch {
		case r.Size != size:
		case from == fromPool:
			return r.Pool.Reference()
		case from == fromStack:
			return r.Stack.Reference()
		}
	}
	return nil
}

func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, s := range situations {
		if mode == lab.Quick && !s.inQuick() {
			continue
		}
		for i, size := range sizes {
			if mode == lab.Quick && i%2 == 1 && i < len(sizes)-1 {
				continue // 4, 16, 64 and 128 KB
			}
			list = append(list, casesOf(s, size, mode)...)
		}
	}
	return append(list, lab.Case{Name: startName, Label: "starting stack of a goroutine, at most", Probe: probeStart})
}

// casesOf are the cases that are measured in turn.
func casesOf(s situation, size int, mode lab.Mode) []lab.Case {
	p := plan{s, size, mode}
	var list []lab.Case
	add := func(name, what string, base bool, ref *result.Reference, start func(context.Context, *lab.Bench) (*lab.Op, error)) {
		c := lab.Case{Name: name, Label: strings.Join([]string{what, kb(size), s.String()}, ", "), Group: kb(size) + ", " + s.String(), Base: base, Reference: ref, Start: start}
		if !s.all {
			c.Procs = 1
		}
		list = append(list, c)
	}
	for _, from := range froms {
		add(s.name(from, size), sourceLabels[from], from == fromStack, published(from, size, s), p.start(from, p.timer(from)))
	}
	if s.all {
		return list
	}
	switch s.state {
	case stateWarm:
		add(s.clearedOnce(size), "stack array, cleared once", false, nil, p.start(clearedOnceOf, warm))
		if !s.io {
			add(s.uncollected(size), "make, no collections", false, nil, p.start(uncollectedOf, withoutGC))
		}
	case stateFresh:
		add(s.name(fromNone, size), sourceLabels[fromNone], false, nil, p.start(fromNone, warm))
	}
	return list
}

// kb is a size for people.
func kb(size int) string { return fmt.Sprintf("%d KB", size>>10) }

// startName is the probe of what a goroutine begins with.
const startName = "Buffers/what=starting-stack"

// processors is how many goroutines run at once.
func (s situation) processors() (int, error) {
	if !s.all {
		return 1, nil
	}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return n, nil
	}
	return 0, lab.Skip("GOMAXPROCS is 1")
}
