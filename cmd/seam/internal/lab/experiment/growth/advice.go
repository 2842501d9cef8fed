package growth

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// loss is the share of a processor that nobody would look for.
const loss = 0.01

func (f analysis) advice() {
	var said []string
	for _, size := range told {
		// Below there is little to save; of larger ones nobody starts many.
		if size < 8<<10 || size > 1<<20 {
			continue
		}
		if ns, ok := f.way(size); ok {
			said = append(said, fmt.Sprintf("%s %s (%s)", bytes(size), quantity.Time(ns), quantity.Number(loss*1e9/ns)))
		}
	}
	if len(said) > 0 {
		f.Sayf("What a fresh goroutine pays once for the stack that it needs, its start included, and how many of them a second take %.0f %% of a processor: %s. If you start more, keep goroutines and pass work to them.",
			100*loss, lab.List(said, "and"))
	}
}

func (f analysis) notes() {
	if start, ok := f.Median(startName, unitBytes); ok {
		f.Notef("Goroutines started with %s here, the least that Go gives. In a program whose goroutines use more on average, new ones start with more, and the first doublings are left out (GODEBUG=adaptivestackstart=0 turns that off). A KB has 1024 bytes.",
			bytes(uintptr(start)))
	}
	if len(f.Findings) > 0 {
		f.Notef("A published log (%s) shows a stack doubled and copied all the way from 8 KB to 16 MB for one array of 10 MB. "+
			"Today's Go puts such an array on the heap, and skips doublings for a single large frame; frame by frame it still takes them all.", reference.StackBuffers.Setting())
	}
}
