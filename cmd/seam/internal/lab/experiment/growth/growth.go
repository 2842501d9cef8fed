// Package growth measures the growth of goroutine stacks.
package growth

import (
	"context"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Experiment is `seam lab growth`.
var Experiment = lab.Experiment{
	Name:    "growth",
	Title:   "What does growing a goroutine's stack cost?",
	Sources: []*result.Source{reference.StackBuffers},
	About: "A goroutine starts with a small stack. A call that finds too little room gets one twice as large; all that is in use is copied there, and every pointer into it is adjusted. " +
		"First: a goroutine calls deeper until its stack of half the size is nearly full, and then makes one more call, which alone is timed, less the clock's own cost. " +
		"That the stack moved in this call is verified in every sample, by the address of a variable. Again: the same call once the stack has grown. " +
		"The stack is filled by few large frames of bytes; by such frames with one pointer each into the stack (few pointers); with nothing but such pointers (many); by the smallest frames (many frames). " +
		"The goroutines run one after another, so their stacks are memory that others have freed; new memory is what the system has yet to provide. " +
		"Fresh goroutine: it is started, grows through all doublings and ends; same goroutine: it is given the same work again, and does it on the stack that it has. " +
		"Copy: memmove of as many bytes; make: an allocation of the same size, all pages of it touched, not collected. " +
		"Shrink: runtime.GC with parked goroutines that use less than a quarter of their stacks, which halves these, and once more when there is nothing to halve. " +
		"GOMAXPROCS=1. The starting stack is kept at its smallest, as GODEBUG=adaptivestackstart=0 would, by 512 goroutines that use little; the runtime's metrics confirm it.",
	Cases:   cases,
	Explain: explain,
}

// sizes are those that stacks are grown to.
func sizes(mode lab.Mode) []uintptr {
	if mode == lab.Quick {
		return []uintptr{4 << 10, 8 << 10, 32 << 10, 256 << 10, 1 << 20, 16 << 20}
	}
	return all
}

var all = []uintptr{
	4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10,
	1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20,
}

// leastNew is the first size whose memory is not cut from that of others: it is of whole
// pages, and more than a few.
const leastNew = 64 << 10

// Units of the metrics.
const (
	unitTime   = "ns/op"
	unitBytes  = "B"
	unitCount  = "count"
	unitFaults = "faults/op"
	unitShrink = "ns/shrink"
	unitGC     = "gc-ns"
)

// Names of benchmarks.
func base(size uintptr) string       { return fmt.Sprintf("Growth/to=%d", size) }
func growName(size uintptr) string   { return base(size) + "/state=first" }
func againName(size uintptr) string  { return base(size) + "/state=again" }
func newName(size uintptr) string    { return growName(size) + "/memory=new" }
func freshName(size uintptr) string  { return growName(size) + "/goroutine=fresh" }
func sameName(size uintptr) string   { return againName(size) + "/goroutine=same" }
func copyName(size uintptr) string   { return base(size) + "/what=copy" }
func makeName(size uintptr) string   { return base(size) + "/what=make" }
func factsName(size uintptr) string  { return base(size) + "/what=facts" }
func usedName(size uintptr) string   { return base(size) + "/what=used" }
func faultsName(name string) string  { return name + "/what=faults" }
func shrinkName(from uintptr) string { return fmt.Sprintf("Growth/shrink/from=%d", from) }

func framesName(size uintptr, part string) string { return growName(size) + part + "/what=frames" }

const startName = "Growth/what=start"

// Parts of the names of what stacks are filled with.
const (
	fewPart    = "/pointers=few"
	manyPart   = "/pointers=many"
	framesPart = "/frames=many"
)

type filling struct {
	shape       shape
	part, label string
}

var fillings = []filling{
	{plain, "", "large frames"},
	{linked, fewPart, "few pointers"},
	{full, manyPart, "many pointers"},
	{small, framesPart, "many frames"},
}

// shapesOf are the fillings of which the growth to size is priced. Filling 8 MB with small
// frames takes longer than a quick run has.
func shapesOf(mode lab.Mode, size uintptr) []filling {
	if mode == lab.Quick && size > 1<<20 {
		return fillings[:1]
	}
	return fillings
}

func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, size := range sizes(mode) {
		list = append(list, pricesOf(mode, size)...)
	}
	for _, size := range sizes(mode) {
		list = append(list, lab.Case{Name: factsName(size), Label: "bytes, frames and page faults, to " + bytes(size), Procs: 1,
			Probe: func(context.Context, *lab.Bench) ([]lab.Metric, error) { return probeFacts(mode, size) }})
	}
	list = append(list, lab.Case{Name: startName, Label: "stack that a goroutine starts with", Procs: 1, Probe: probeStart})
	for _, from := range shrunk {
		list = append(list, lab.Case{Name: shrinkName(from), Label: "shrink from " + bytes(from), Procs: 1,
			Probe: func(ctx context.Context, _ *lab.Bench) ([]lab.Metric, error) { return probeShrink(ctx, from) }})
	}
	return list
}

// pricesOf are the timed cases of a size.
func pricesOf(mode lab.Mode, size uintptr) []lab.Case {
	var list []lab.Case
	add := func(name, label string, setup func(size, depth uintptr) *lab.Op) {
		list = append(list, lab.Case{Name: name, Label: label + ", " + bytes(size), Group: "to " + bytes(size),
			Base: name == growName(size), Procs: 1, Setup: func() (*lab.Op, error) {
				depth, err := ready(size, roomClock)
				if err != nil {
					return nil, err
				}
				return setup(size, depth), nil
			}})
	}
	for _, s := range shapesOf(mode, size) {
		add(growName(size)+s.part, "first call, "+s.label, func(size, depth uintptr) *lab.Op { return setupGrow(size, depth, s.shape) })
	}
	if size >= leastNew {
		add(newName(size), "first call, new memory", setupNew)
	}
	add(againName(size), "the call again", setupAgain)
	add(freshName(size), "all the way, fresh goroutine", setupFresh)
	add(sameName(size), "all the way, same goroutine", setupSame)
	add(copyName(size), "memmove of as much", setupCopy)
	add(makeName(size), "make", setupMake)
	return list
}

// bytes is a size as it is written in a label. A KB has 1024 bytes, as in all that
// Go says about stacks.
func bytes(n uintptr) string { return binary(quantity.Tick(float64(n), "B")) }

// amount is a number of bytes that was measured.
func amount(n float64) string { return binary(quantity.Bytes(n)) }

// binary writes KB for KiB.
func binary(size string) string { return strings.ReplaceAll(size, "iB", "B") }
