package events

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func explain(e *result.Experiment) {
	refer(e)
	f := analysis{lab.Analysis{Experiment: e}}
	f.Headline(name(viaCoro), unitRate, "requests a second, C on coroutines")
	f.Advise(
		lab.Advice{Name: name(viaCoro), Base: name(viaCallback), Unit: unitCPU,
			Faster: "Serve connections by C that blocks on coroutines: CPU time of a request, against callbacks, ",
			Slower: "Keep the loop with callbacks: CPU time of a request on coroutines, against it, ", Same: "Choose what is easiest to write: CPU time of a request on coroutines, against callbacks, is ",
		},
		lab.Advice{Name: name(viaCoroLoop), Base: name(viaCallback), Unit: unitCPU,
			Faster: "Run the C loop as a coroutine: CPU time of a request, against callbacks, ",
			Slower: "Keep the loop with callbacks: CPU time of a request as a coroutine, against it, ",
		},
	)
	f.Say(
		lab.Tell("Requests a second with %s in flight, against callbacks: %s.", lab.Set(inflight), f.each(name, unitRate)),
		lab.Tell("The server's CPU time of a request, against callbacks: %s.", f.each(name, unitCPU)),
		lab.Tell("Latency with one request at a time, against callbacks: %s.", f.each(aloneName, unitMedian)),
	)
	if len(e.Findings) > 0 {
		f.Note(lab.Tell("With coroutines the C code may block wherever it likes, and needs no loop and no thread of its own. "+
			"Context switches are waits for work, and a busier server waits less. Locks of C code, such as that of the queue of %s, are not counted.", lab.Set(labels[viaEventfd])))
	}
	f.charts()
}

type analysis struct{ lab.Analysis }

// each lists what was measured of all servers.
func (f analysis) each(of func(via string) string, unit string) lab.Part {
	var all []lab.Named
	for _, via := range vias {
		all = append(all, lab.Named{Name: of(via), Words: labels[via]})
	}
	return f.Each(unit, of(viaCallback), all...)
}
