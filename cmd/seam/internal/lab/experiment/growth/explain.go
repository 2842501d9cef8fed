package growth

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func explain(e *result.Experiment) {
	f := analysis{lab.Analysis{Experiment: e}}
	f.doublings()
	f.pointers()
	f.newMemory()
	f.allTheWay()
	f.shrinks()
	f.notes()
	f.Draw(f.times(), f.speeds(), f.grid())
}

type analysis struct{ lab.Analysis }

// positive is median of what has to be divided by, or is nothing to speak of.
func (f analysis) positive(name, unit string) (float64, bool) {
	v, ok := f.Median(name, unit)
	return v, ok && v > 0
}

// A price is what a growth costs beyond the call that causes it, in ns.
type price struct{ value, lo, hi float64 }

// price is that of the growth to size named first. It needs no interval of the call's own
// price, which is thousands of times smaller than that of anything else here.
func (f analysis) price(first string, size uintptr) (price, bool) {
	s := f.Find(first, unitTime)
	if s == nil {
		return price{}, false
	}
	again, ok := f.Median(againName(size), unitTime)
	if !ok || s.Median <= again {
		return price{}, false
	}
	return price{s.Median - again, s.Lo - again, s.Hi - again}, true
}

// grown is the price of the growth to size, large frames without pointers.
func (f analysis) grown(size uintptr) (float64, bool) {
	p, ok := f.price(growName(size), size)
	return p.value, ok
}

// way is what a goroutine that goes down to size pays more than one that has done so
// before.
func (f analysis) way(size uintptr) (float64, bool) {
	fresh, ok1 := f.Median(freshName(size), unitTime)
	same, ok2 := f.Median(sameName(size), unitTime)
	return fresh - same, ok1 && ok2 && fresh > same
}

// told are the sizes that the sentences mention; the grid has all.
var told = sizes(lab.Quick)

// doublings lists what growths cost, and compares the largest with memmove of what was in
// use. That is part of the same work, but in other memory.
func (f analysis) doublings() {
	var all []lab.Named
	last := uintptr(0)
	for _, size := range told {
		if _, ok := f.grown(size); ok {
			all = append(all, lab.Named{Name: growName(size), Words: "to " + bytes(size)})
			last = size
		}
	}
	f.Headline(growName(told[2]), unitTime, "to grow a stack to "+bytes(told[2]))
	f.Say(lab.Tell("A call for which a stack has to grow takes: %s.", f.Each(unitTime, "", all...)))
	if last > 0 {
		f.Say(lab.Tell("The growth to %s, against memmove alone of what was in use (%s): %s.", lab.Set(bytes(last)), f.Figure(copyName(last), unitTime), f.Compare(growName(last), copyName(last), unitTime)),
			lab.Tell("The same call with enough room takes %s.", f.Figure(againName(last), unitTime)))
	}
}

// pointers reports on the largest size for which all fillings have a price.
func (f analysis) pointers() {
	for _, size := range slices.Backward(all) {
		plain, few, many, frames := growName(size), growName(size)+fewPart, growName(size)+manyPart, growName(size)+framesPart
		if f.Find(plain, unitTime) == nil || f.Find(few, unitTime) == nil || f.Find(many, unitTime) == nil || f.Find(frames, unitTime) == nil {
			continue
		}
		f.Say(lab.Tell("What is on the stack matters: growing to %s takes %s with large frames of bytes; against that: %s.", lab.Set(bytes(size)), f.Figure(plain, unitTime),
			f.Each(unitTime, plain, lab.Named{Name: few, Words: "one pointer into the stack in each frame"}, lab.Named{Name: many, Words: "nothing but such pointers"}, lab.Named{Name: frames, Words: "many small frames"})))
		return
	}
}

func (f analysis) newMemory() {
	for _, size := range slices.Backward(all) {
		if f.Find(growName(size), unitTime) == nil || f.Find(newName(size), unitTime) == nil {
			continue
		}
		f.Say(lab.Tell("This is with memory that others have used before. Growing to %s where the system has to provide it, against that: %s.", lab.Set(bytes(size)),
			f.Each(unitTime, growName(size), lab.Named{Name: newName(size), Words: "new memory"})))
		return
	}
}

// allTheWay compares a goroutine that grows with one that has grown.
func (f analysis) allTheWay() {
	for _, size := range slices.Backward(all) {
		if f.Find(freshName(size), unitTime) == nil || f.Find(sameName(size), unitTime) == nil {
			continue
		}
		f.Say(lab.Tell("Work that needs a stack of %s, against the same work by a goroutine that has one: %s.", lab.Set(bytes(size)),
			f.Each(unitTime, sameName(size), lab.Named{Name: freshName(size), Words: "a fresh goroutine"})))
		return
	}
}

func (f analysis) shrinks() {
	var words []string
	var parts []lab.Part
	for _, size := range shrunk {
		words, parts = append(words, "from "+bytes(size)), append(parts, f.Excess(shrinkName(size), unitShrink))
	}
	f.Say(lab.Tell("A collection halves the stack of a goroutine that waits with less than a quarter of it in use, which adds: %s. A goroutine that needs the room again pays for the doubling again.", lab.Lines(words, parts)))
}
