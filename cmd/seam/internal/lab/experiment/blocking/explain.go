package blocking

import (
	"fmt"
	"slices"
	"strings"
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
	t.Say(t.lateness(n), t.threads(n), t.rates(n), t.pool())
	t.Note(t.lost(), t.published(), t.pUse())
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

// each lists what was measured of all ways: "cgo 1.00 ms, coroutine 2.00 ms".
func (t analysis) each(n int, unit string, from []string, write func(float64) string) string {
	var told []string
	for _, via := range from {
		if v, ok := t.get(via, n, unit); ok {
			told = append(told, labels[via]+" "+write(v))
		}
	}
	return strings.Join(told, ", ")
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

func (t analysis) lateness(n int) string {
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("Next to %s goroutines that call C, one that wants to run every %s runs late by (99th percentile): %s.",
		count(float64(n)), short(period), t.each(n, unitLate, vias, quantity.Time))
	if one, ok := t.get(viaCgo, 1, unitLate); ok && n > 1 {
		text += fmt.Sprintf(" Next to a single caller through cgo it is %s.", quantity.Time(one))
	}
	return text
}

func (t analysis) threads(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Threads with %s calls: %s. Memory of a call: %s.", count(float64(n)),
		t.each(n, unitThreads, vias, count), t.each(n, unitMemory, vias, quantity.Bytes))
}

func (t analysis) rates(n int) string {
	cgo, ok := t.get(viaCgo, n, unitRate)
	if n == 0 || !ok {
		return ""
	}
	text := fmt.Sprintf("Calls a second with %s goroutines: %s.", count(float64(n)), t.each(n, unitRate, vias, quantity.Number))
	if sem, ok := t.get(viaSemaphore, n, unitRate); ok && n > slots && sem < 0.9*cgo {
		text += fmt.Sprintf(" A semaphore of %d and a pool of %d threads make others wait for their turn: with answers that take %s they can't exceed %s.",
			slots, slots, short(delay(n)), quantity.Number(slots/delay(n).Seconds()))
	}
	return text
}

// below reports whether one figure is at most that share of another, by more
// than looks differ from each other: figures of one short look are not exact.
func (t analysis) below(a, b, unit string, share float64) bool {
	x, y := t.Find(a, unit), t.Find(b, unit)
	return x != nil && y != nil && x.Hi < y.Lo && x.Median < share*y.Median
}

// pool says whether the pool is better than the semaphore: a tenth more calls,
// or half the lateness.
func (t analysis) pool() string {
	var more, less, compared []string
	for _, n := range allSizes {
		rate, ok1 := t.get(viaSemaphore, n, unitRate)
		poolRate, ok2 := t.get(viaOffload, n, unitRate)
		late, ok3 := t.get(viaSemaphore, n, unitLate)
		poolLate, ok4 := t.get(viaOffload, n, unitLate)
		if !ok1 || !ok2 || !ok3 || !ok4 {
			continue
		}
		semaphore, pool := name(viaSemaphore, n), name(viaOffload, n)
		compared = append(compared, count(float64(n)))
		if t.below(semaphore, pool, unitRate, 0.9) {
			more = append(more, fmt.Sprintf("%s (%s against %s)", goroutines(n), quantity.Number(poolRate), quantity.Number(rate)))
		}
		if t.below(pool, semaphore, unitLate, 0.5) {
			less = append(less, fmt.Sprintf("%s (%s against %s)", goroutines(n), quantity.Time(poolLate), quantity.Time(late)))
		}
	}
	switch {
	case len(compared) == 0:
		return ""
	case len(more)+len(less) == 0:
		return fmt.Sprintf("The semaphore is enough here: with n = %s the pool was not shown to make a tenth more calls or to halve the lateness of the others.", strings.Join(compared, ", "))
	}
	text := "Against the semaphore the pool"
	if len(more) > 0 {
		text += " makes more calls a second with " + strings.Join(more, ", ")
	}
	if len(less) > 0 {
		if len(more) > 0 {
			text += " and"
		}
		text += " leaves the others less late with " + strings.Join(less, ", ")
	}
	if len(more) == 0 {
		text += "; where that does not matter the semaphore is enough"
	}
	return text + "."
}

// lost says where the coroutine is worse than plain cgo.
func (t analysis) lost() string {
	var where []string
	for _, n := range allSizes {
		coro, cgo := name(viaCoro, n), name(viaCgo, n)
		for _, m := range []struct {
			unit, what string
			write      func(float64) string
			worse      bool
		}{
			{unitRate, "calls a second", quantity.Number, t.below(coro, cgo, unitRate, 0.95)},
			{unitLate, "lateness of others", quantity.Time, t.below(cgo, coro, unitLate, 0.5)},
			{unitMemory, "memory of a call", quantity.Bytes, t.below(cgo, coro, unitMemory, 0.9)},
			{unitThreads, "threads", count, t.below(cgo, coro, unitThreads, 1)},
		} {
			if m.worse {
				a, _ := t.get(viaCoro, n, m.unit)
				b, _ := t.get(viaCgo, n, m.unit)
				where = append(where, fmt.Sprintf("%s with %s (%s against %s)", m.what, goroutines(n), m.write(a), m.write(b)))
			}
		}
	}
	return lab.Sentence("Coroutines lose to plain cgo here in: ", where, "; ", ".")
}

func (t analysis) published() string {
	late, ok := t.get(viaCgo, publishedCalls, unitLate)
	if !ok {
		return ""
	}
	published := reference.BlockedLatency
	text := fmt.Sprintf("The published latency next to C calls that block is %s (%s), with %d of them it is %s here",
		quantity.Time(published.Value), published.Source.Setting(), publishedCalls, quantity.Time(late))
	if r := late / published.Value; r <= 0.5 || r >= 2 {
		text += ": it depends on how many calls return in a second and on the cores that serve them, which were not published"
	}
	return text + "."
}

func (t analysis) pUse() string {
	s := t.Find(usedName(viaCgo, publishedCalls), unitShare)
	if s == nil {
		return ""
	}
	return fmt.Sprintf("P utilisation is the share of time in which a P is not idle; a P that a call in C still holds counts as used. "+
		"So the published fall to %.0f %% has no counterpart here: with %d calls through cgo it is %.0f %%.", reference.BlockedUse.Value, publishedCalls, s.Median)
}
