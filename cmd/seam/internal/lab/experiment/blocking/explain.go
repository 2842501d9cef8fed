package blocking

import (
	"slices"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// publishedCalls is the size that is set beside the published figures, which don't say
// how many calls there were.
const publishedCalls = 256

func explain(e *result.Experiment) {
	reference.BlockedLatency.Attach(e, name(viaCgo, publishedCalls))
	reference.BlockedGoroutines.Attach(e, notInGoName(viaCgo, publishedCalls))
	reference.BlockedUse.Attach(e, usedName(viaCgo, publishedCalls))
	t := analysis{lab.Analysis{Experiment: e}}
	n := t.largest()
	if n == 0 {
		return
	}
	t.Headline(name(viaCoro, n), unitMemory, "of memory for a blocking call on a coroutine")
	of := lab.Set(goroutines(n))
	t.Advise(
		lab.Advice{Name: name(viaCoro, n), Base: name(viaCgo, n), Unit: unitLate,
			Faster: "Let C that waits run as coroutines (package coro with netio, or park in a plan): others run late, against cgo, by ",
			Slower: "Bound calls that block, rather than run them as coroutines: with these others run late, against cgo, by ",
		},
		lab.Advice{Name: name(viaCoro, n), Base: name(viaCgo, n), Unit: unitThreads,
			Faster: "Let C that waits run as coroutines (package coro with netio, or park in a plan): threads, against cgo, ",
		},
	)
	t.Say(
		lab.Tell("While %s block in C, another that should run every %s is late by (%s), against cgo: %s.", of, lab.Set(short(period)), lab.Set("p99"), t.each(n, unitLate)),
		lab.Tell("Threads with %s, against cgo: %s.", of, t.each(n, unitThreads)),
		lab.Tell("Memory of a call with %s, against cgo: %s.", of, t.each(n, unitMemory)),
		lab.Tell("Calls a second with %s, against cgo: %s.", of, t.each(n, unitRate)),
		lab.Tell("Beside a single caller through cgo the other is late by %s.", t.Figure(name(viaCgo, 1), unitLate)),
	)
	t.Note(
		lab.Tell("A semaphore and a pool make others wait for their turn, here of %s. How late others run depends on how many calls return in a second and on the cores that serve them.", lab.Set(slots)),
		lab.Tell("P utilisation is the share of time in which a P is not idle; a P that a call in C still holds counts as used."),
	)
	t.charts()
}

type analysis struct{ lab.Analysis }

func (t analysis) get(via string, n int, unit string) (float64, bool) {
	return t.Median(name(via, n), unit)
}

// largest is the largest size that was measured through cgo and one other way,
// or 0.
func (t analysis) largest() int {
	for _, n := range slices.Backward(allSizes) {
		if _, ok := t.get(viaCgo, n, unitLate); !ok {
			continue
		}
		for _, via := range vias[1:] {
			if _, ok := t.get(via, n, unitLate); ok {
				return n
			}
		}
	}
	return 0
}

// each lists what was measured of all ways.
func (t analysis) each(n int, unit string) lab.Part {
	var all []lab.Named
	for _, via := range vias {
		all = append(all, lab.Named{Name: name(via, n), Words: labels[via]})
	}
	return t.Each(unit, name(viaCgo, n), all...)
}

// count is a number without digits after the decimal point.
func count(v float64) string {
	if v < 100 {
		return quantity.Tick(v, "count")
	}
	return quantity.Number(v)
}

// short is a duration without forced digits: "1 ms".
func short(d time.Duration) string { return quantity.Tick(float64(d), "ns") }
