package callback

import (
	"fmt"
	"math"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// batchSize is how many items C collects.
const batchSize = 64

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	ns := func(via string) float64 { return a.Value(name(via), "ns/op") }
	a.Say(single(ns), batches(ns), foreign(ns), waiting(ns))
	a.Note(lost(ns))
	var names []string
	for _, w := range ways {
		names = append(names, name(w.via))
	}
	a.Draw(a.Bars(result.Chart{Title: "From C into Go and back, one item", Unit: "ns",
		Caption: "Batches: 64 items asked for at once, the time of one. Channel: the Go function waits for another goroutine."}, "ns/op", names...))
}

// against compares a with b: "5.2 times less", "no less", "1.3 times as much".
func against(a, b float64) string {
	switch {
	case b/a >= 1.05:
		return quantity.Number(b/a) + " times less"
	case a/b >= 1.05:
		return quantity.Number(a/b) + " times as much"
	}
	return "about the same"
}

func single(ns func(string) float64) string {
	exported, upcall, free, bare := ns(viaCgo), ns(viaCoro), ns(viaFloating), ns(viaBare)
	if exported == 0 || upcall == 0 {
		return ""
	}
	text := fmt.Sprintf("A call from C into Go costs %s exported by cgo and %s as an upcall of a coroutine: %s.",
		quantity.Time(exported), quantity.Time(upcall), against(upcall, exported))
	if free > 0 {
		text += fmt.Sprintf(" With a coroutine that is not locked to its thread it is %s.", quantity.Time(free))
	}
	if bare > 0 {
		text += fmt.Sprintf(" Two bare switches of the stack cost %s.", quantity.Time(bare))
	}
	return text
}

func batches(ns func(string) float64) string {
	exported, exportedBatch, upcall, upcallBatch := ns(viaCgo), ns(viaCgoBatch), ns(viaCoro), ns(viaCoroBatch)
	if exported == 0 || exportedBatch == 0 {
		return ""
	}
	text := fmt.Sprintf("Collecting %d items brings cgo down to %s each", batchSize, quantity.Time(exportedBatch))
	if upcallBatch > 0 {
		text += fmt.Sprintf(" and upcalls to %s", quantity.Time(upcallBatch))
	}
	text += "."
	// What an item costs by itself, and the call that is shared.
	own := exportedBatch - (exported-exportedBatch)/(batchSize-1)
	call := exported - own
	if upcall > 0 && upcall > own && call > 0 {
		if size := math.Ceil(call / (upcall - own)); size > 1 && size <= batchSize {
			text += fmt.Sprintf(" Where C can collect %.0f or more, cgo is as cheap as single upcalls.", size)
		}
	}
	return text
}

func foreign(ns func(string) float64) string {
	exported, thread := ns(viaCgo), ns(viaCgoThread)
	if exported == 0 || thread == 0 {
		return ""
	}
	text := fmt.Sprintf("From a thread that Go did not start an exported function costs %s", quantity.Time(thread))
	if r := thread / exported; r > 1.05 {
		text += fmt.Sprintf(", %s times what it costs from a thread that Go called C on", quantity.Number(r))
	}
	return text + "; coroutines are not available there."
}

func waiting(ns func(string) float64) string {
	var told []string
	for _, w := range []struct{ via, label string }{
		{viaCgoChannel, "exported by cgo"}, {viaCoroChannel, "as an upcall in the default mode"}, {viaFloatingChannel, "as an upcall with Floating"},
	} {
		if v := ns(w.via); v > 0 {
			told = append(told, quantity.Time(v)+" "+w.label)
		}
	}
	if len(told) < 2 {
		return ""
	}
	text := "A Go function that waits for another goroutine costs C " + strings.Join(told, ", ") + "."
	bound, free := ns(viaCoroChannel), ns(viaFloatingChannel)
	if bound > 0 && free > 0 && bound > 1.5*free {
		text += fmt.Sprintf(" A goroutine that is locked to its thread is woken by the system, which costs %s for each item.", quantity.Time(bound-free))
	}
	return text
}

// lost says where the coroutine is the dearer way.
func lost(ns func(string) float64) string {
	var where []string
	for _, pair := range []struct{ coro, cgo, what string }{
		{viaCoro, viaCgo, "single items"}, {viaFloating, viaCgo, "single items with Floating"}, {viaCoroBatch, viaCgoBatch, "batches"},
		{viaCoroChannel, viaCgoChannel, "items that wait for a channel"}, {viaFloatingChannel, viaCgoChannel, "items that wait for a channel, with Floating"},
	} {
		if a, b := ns(pair.coro), ns(pair.cgo); a > 0 && b > 0 && a > 1.05*b {
			where = append(where, fmt.Sprintf("%s (%s against %s)", pair.what, quantity.Time(a), quantity.Time(b)))
		}
	}
	return lab.Sentence("Upcalls lose to cgo here for ", where, ", ", ".")
}
