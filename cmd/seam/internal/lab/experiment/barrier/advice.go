package barrier

import (
	"fmt"
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// advice compares the ways for C to keep hold of Go objects: what one costs in a
// collection with many of them.
func (f analysis) advice() {
	n := sizes[len(sizes)-1]
	best, least := "", math.Inf(1)
	worst, most := "", math.Inf(-1)
	for _, k := range []string{kindCgoHandle, kindMemHandle, kindPin, kindPinAll} {
		m, ok := f.more(k, n, unitCPU)
		if !ok {
			m, ok = f.more(k, n, unitWall)
		}
		if !ok {
			continue
		}
		if m < least {
			best, least = k, m
		}
		if m > most {
			worst, most = k, m
		}
	}
	if best == worst {
		return
	}
	each := func(m float64) string {
		if m < float64(n) {
			return "less than 1 ns"
		}
		return quantity.Time(m / float64(n))
	}
	text := fmt.Sprintf("Where C holds on to many Go objects, %s are the cheapest in a collection (%s a reference) and %s the most expensive (%s).",
		words[best], each(least), words[worst], each(most))
	if r, ok := f.Median(renewName(best, f.typical(renewName)), "ns/op"); ok {
		text += fmt.Sprintf(" Dropping one and making another costs %s.", quantity.Time(r))
	}
	if best == kindPinAll {
		text += " A Pinner unpins everything that it has pinned, or nothing."
	}
	f.Say(text)
	rest, ok1 := f.Median(markedName(kindUintptr, f.typical(markedName)), "ns/op")
	marked, ok2 := f.Median(markedName(kindC, f.typical(markedName)), "ns/op")
	if ok1 && ok2 && marked > 2*rest {
		f.Sayf("A table of C pointers that is written to often is better kept as uintptr, or with a type that C only declares: a store while the collector marks then takes %s, not %s.",
			quantity.Time(rest), quantity.Time(marked))
	}
}

func (f analysis) notes() {
	for _, s := range f.Series {
		if s.Name == profileName && s.NotMeasured != "" {
			f.Notef("There is no flame graph: %s.", s.NotMeasured)
		}
	}
}
