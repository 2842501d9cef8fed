package growth

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func explain(e *result.Experiment) {
	f := analysis{lab.Analysis{Experiment: e}}
	f.doublings()
	f.pointers()
	f.newMemory()
	f.allTheWay()
	f.shrinks()
	f.advice()
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

// speed is bytes per ns, which is also GB/s.
func speed(bytes, ns float64) string { return quantity.Number(bytes/ns) + " bytes per ns" }

// told are the sizes that the sentences mention; the grid has all.
var told = sizes(lab.Quick)

func (f analysis) doublings() {
	var said []string
	last, lastNS := uintptr(0), 0.0
	for _, size := range told {
		if ns, ok := f.grown(size); ok {
			said = append(said, fmt.Sprintf("%s to %s", quantity.Time(ns), bytes(size)))
			last, lastNS = size, ns
		}
	}
	if len(said) == 0 {
		return
	}
	text := "Growing a stack costs " + lab.List(said, "and") + "."
	if used, ok := f.positive(usedName(last), unitBytes); ok {
		text += fmt.Sprintf(" The last copies what was in use at %s", speed(used, lastNS))
		text += f.besideMemmove(last, used) + "."
	}
	if again, ok := f.Median(againName(last), unitTime); ok {
		text += fmt.Sprintf(" The same call with enough room costs %s.", quantity.Time(again))
	}
	f.Say(text)
	f.copying()
}

// besideMemmove compares the speed of the growth to size with memmove of the used
// bytes. That is part of the same work, but in other memory, and may come out slower:
// then neither is called the limit of the other.
func (f analysis) besideMemmove(size uintptr, used float64) string {
	s := f.Find(copyName(size), unitTime)
	p, ok := f.price(growName(size), size)
	switch {
	case s == nil || !ok || s.Median <= 0:
		return ""
	case s.Hi < p.lo:
		return ", memmove alone at " + speed(used, s.Median)
	case s.Lo > p.hi:
		return "; memmove alone, between two slices in other memory, took longer here"
	}
	return "; memmove alone was not shown to take a different time"
}

// copying says where the bytes dominate the price and where the rest does.
func (f analysis) copying() {
	text, from := "", uintptr(0) // from there on all are copying for the larger part
	for _, size := range all {
		ns, ok1 := f.grown(size)
		used, ok2 := f.positive(usedName(size), unitBytes)
		moved, ok3 := f.positive(copyName(size), unitTime)
		if !ok1 || !ok2 || !ok3 {
			continue
		}
		if moved >= ns/2 {
			if text == "" {
				return
			}
			if from == 0 {
				from = size
			}
			continue
		}
		from = 0
		if text == "" {
			text = fmt.Sprintf("In small stacks copying is not the main cost: growing to %s takes %s, of which memmove of the %s in use is %s. The rest is finding a new stack, and looking up and adjusting the frames.",
				bytes(size), quantity.Time(ns), amount(used), quantity.Time(moved))
		}
	}
	if from > 0 {
		text += fmt.Sprintf(" From %s on, copying is the larger part.", bytes(from))
	}
	f.Say(text)
}

// pointers reports on the largest size for which all fillings have a price.
func (f analysis) pointers() {
	for _, size := range slices.Backward(all) {
		plain, ok := f.grown(size)
		few, ok1 := f.price(growName(size)+fewPart, size)
		many, ok2 := f.price(growName(size)+manyPart, size)
		frames, ok3 := f.price(growName(size)+framesPart, size)
		if !ok || !ok1 || !ok2 || !ok3 {
			continue
		}
		text := fmt.Sprintf("What is on the stack matters most: growing to %s costs %s with large frames of bytes, %s times that with one pointer into the stack in each frame, %s times with nothing but such pointers",
			bytes(size), quantity.Time(plain), quantity.Number(few.value/plain), quantity.Number(many.value/plain))
		used, ok := f.positive(usedName(size), unitBytes)
		if ok && many.value > plain {
			text += fmt.Sprintf(" (%s a pointer)", quantity.Time((many.value-plain)/(used/float64(word))))
		}
		text += fmt.Sprintf(", %s times with many small frames", quantity.Number(frames.value/plain))
		n, ok := f.Median(framesName(size, framesPart), unitCount)
		large, ok1 := f.Median(framesName(size, ""), unitCount)
		if ok && ok1 && n > large && frames.value > plain {
			text += fmt.Sprintf(" (%s of them, %s each)", quantity.Number(n), quantity.Time((frames.value-plain)/(n-large)))
		}
		text += "."
		if frames.value > 2*plain {
			text += " Deep recursion pays for frames more than for bytes."
		}
		f.Say(text)
		return
	}
}

func (f analysis) newMemory() {
	for _, size := range slices.Backward(all) {
		used, ok1 := f.grown(size)
		fresh, ok2 := f.price(newName(size), size)
		if !ok1 || !ok2 {
			continue
		}
		text := fmt.Sprintf("These costs are with memory that others have used before. Where the system has to provide it, growing to %s costs %s instead of %s",
			bytes(size), quantity.Time(fresh.value), quantity.Time(used))
		faults, ok1 := f.Median(faultsName(newName(size)), unitFaults)
		before, ok2 := f.Median(faultsName(growName(size)), unitFaults)
		if ok1 && ok2 && faults > before && fresh.value > used {
			text += fmt.Sprintf(": %s page faults instead of %s are %.0f %% of it, %s each",
				quantity.Number(faults), quantity.Number(before), 100*(1-used/fresh.value), quantity.Time((fresh.value-used)/(faults-before)))
		}
		f.Say(text + ".")
		return
	}
}

// allTheWay compares the largest stack that was grown to with one allocation.
func (f analysis) allTheWay() {
	for i, size := range slices.Backward(all) {
		way, ok := f.way(size)
		if !ok {
			continue
		}
		text := fmt.Sprintf("A goroutine that ends with a stack of %s pays %s altogether, once", bytes(size), quantity.Time(way))
		sum, complete := 0.0, true
		for _, s := range all[:i+1] {
			ns, ok := f.grown(s)
			sum += ns
			complete = complete && ok
		}
		if complete {
			text += fmt.Sprintf("; its %d doublings one by one add up to %s", i+1, quantity.Time(sum))
		}
		if made, ok := f.positive(makeName(size), unitTime); ok {
			text += fmt.Sprintf(". One allocation of as much costs %s, without its collection", quantity.Time(made))
		}
		f.Say(text + ".")
		return
	}
}

func (f analysis) shrinks() {
	var said, unclear []string
	for _, size := range shrunk {
		s := f.Find(shrinkName(size), unitShrink)
		if s == nil {
			continue
		}
		if s.Lo <= 0 {
			unclear = append(unclear, bytes(size))
			continue
		}
		text := fmt.Sprintf("from %s %s", bytes(size), quantity.Time(s.Median))
		if used, ok := f.Median(shrinkName(size)+"/what=used", unitBytes); ok {
			text += fmt.Sprintf(" (%s copied, %s given back)", amount(used), bytes(size/2))
		}
		said = append(said, text)
	}
	if len(unclear) > 0 {
		said = append(said, "from "+lab.List(unclear, "and")+" too little to tell")
	}
	if len(said) > 0 {
		f.Sayf("A collection halves the stack of a goroutine that waits with less than a quarter of it in use, and takes that much longer: %s. A goroutine that needs the room again pays for the doubling again.",
			lab.List(said, "and"))
	}
}
