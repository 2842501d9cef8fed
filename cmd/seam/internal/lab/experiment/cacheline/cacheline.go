// Package cacheline shows what it costs when structs of arguments straddle cache lines.
package cacheline

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab cacheline`.
var Experiment = lab.Experiment{
	Name:    "cacheline",
	Title:   "What does it cost when argument structs straddle cache lines?",
	Sources: []*result.Source{reference.MixedCalls},
	About: "One operation is one call of a C function that reads all fields of a struct and stores their sum there; Go writes one field before the call and reads the sum after it. " +
		"The fields are the same in all layouts: packed without padding, natural as C and Go lay them out, and aligned to 64 bytes. " +
		"straddled takes as much memory as aligned, but each struct begins in the middle of a line, and so lies on one more line than it needs. " +
		"small has 39 bytes of fields, 56 with padding; large has 79, 120 with padding. The structs lie side by side in an array, and lines are counted from their addresses. " +
		"hot: 64 structs in random order, in the L1 cache. cold: an array four times as large as the L2 cache, in random order. " +
		"chain: the same array, where each struct names the next, so that no call begins before the previous one has its line. " +
		"Two threads: each calls C with a struct of its own, which lies beside the other's in such an array, or 128 bytes apart. " +
		"The same with counters that Go increments, without C, shows what two threads do to each other by themselves.",
	Cases:   cases,
	Explain: explain,
}

// line is the size of a cache line that the structs are made for.
const line = 64

// The structs: their fields.
const (
	small = "small"
	large = "large"
)

var shapes = []string{small, large}

// The layouts: three of line.h, in its order, and one that differs by its place alone.
const (
	packed    = "packed"
	natural   = "natural"
	aligned   = "aligned"
	straddled = "straddled"
)

var layouts = []string{packed, natural, aligned, straddled}

// Where the structs are.
const (
	hot   = "hot"
	cold  = "cold"
	chain = "chain"
)

// How C is called.
const (
	viaLeaf = "leaf"
	viaCgo  = "cgo"
	// viaCounter makes no call: it shows what two threads do to each other by themselves.
	viaCounter = "counter"
)

// A set is structs in one place, called in one way.
type set struct{ place, via string }

var sets = []set{{hot, viaLeaf}, {hot, viaCgo}, {cold, viaLeaf}, {cold, viaCgo}, {chain, viaLeaf}}

func name(layout, shape string, s set) string {
	return "CacheLine/layout=" + layout + "/shape=" + shape + "/set=" + s.place + "/via=" + s.via
}

// Where two threads' structs are relative to each other. alone is one thread.
const (
	apart128 = "apart128"
	alone    = "alone"
)

// A sharing is a case of the second part: small structs in layout, step bytes from one
// thread's to the other's.
type sharing struct {
	key, label string
	layout     string
	step       int // 0: the struct's size
	threads    int
}

var sharings = []sharing{
	{packed, "packed, side by side", packed, 0, 2},
	{natural, "natural, side by side", natural, 0, 2},
	{aligned, "aligned, side by side", aligned, 0, 2},
	{apart128, "aligned, 128 bytes apart", aligned, 128, 2},
	{alone, "aligned, one thread alone", aligned, 0, 1},
}

// counters is the same without C: a counter for each thread.
var counters = []sharing{
	{packed, "counters, 8 bytes apart", packed, 8, 2},
	{aligned, "counters, 64 bytes apart", aligned, 64, 2},
	{apart128, "counters, 128 bytes apart", aligned, 128, 2},
	{alone, "a counter, one thread alone", aligned, 64, 1},
}

func (s sharing) name(via string) string {
	layout, threads := s.layout, "2"
	if s.key == apart128 {
		layout += "-128"
	}
	if s.threads == 1 {
		threads = "1"
	}
	return "CacheLine/layout=" + layout + "/threads=" + threads + "/via=" + via
}

// Names and units of what is counted, not timed.
const (
	unitTime   = "ns/op"
	unitSize   = "B/struct"
	unitLines  = "lines/op"          // of a struct, by the addresses of this run
	unitLayout = "expected-lines/op" // the same by the layout alone
	unitSplit  = "split-structs-%"   // structs on more lines than their fields need
	unitFields = "split-fields-%"    // fields that begin on one line and end on the next
)

func linesName(layout, shape string) string {
	return "CacheLine/layout=" + layout + "/shape=" + shape + "/what=lines"
}

// Who places single structs, besides arrays.
const (
	placeGo     = "go-heap"
	placeMalloc = "malloc"
)

var placers = []string{placeGo, placeMalloc}

func placeName(shape, placer string) string {
	return "CacheLine/layout=natural/shape=" + shape + "/place=" + placer
}

func cases(lab.Mode) []lab.Case {
	var list []lab.Case
	for _, shape := range shapes {
		for _, s := range sets {
			for i, layout := range layouts {
				c := lab.Case{
					Name: name(layout, shape, s), Label: shape + ", " + layout + ", " + s.place + ", " + s.via,
					Group: shape + " structs, " + s.place + ", by " + s.via, Base: layout == aligned,
					Start: func(_ context.Context, b *lab.Bench) (*lab.Op, error) { return startCalls(b, shape, i, s) },
				}
				if shape == small && s == (set{cold, viaCgo}) {
					switch layout {
					case straddled:
						c.Reference = reference.StraddlingCall.Reference()
					case aligned:
						c.Reference = reference.AlignedCall.Reference()
					}
				}
				list = append(list, c)
			}
		}
	}
	for _, via := range []string{viaLeaf, viaCgo} {
		for _, s := range sharings {
			list = append(list, lab.Case{
				Name: s.name(via), Label: s.label + ", " + via, Group: "two threads, by " + via, Base: s.key == aligned,
				Setup: func() (*lab.Op, error) { return setupThreads(s, via) },
			})
		}
	}
	for _, s := range counters {
		list = append(list, lab.Case{
			Name: s.name(viaCounter), Label: s.label, Group: "two threads, counters", Base: s.key == aligned,
			Setup: func() (*lab.Op, error) { return setupCounters(s) },
		})
	}
	for _, shape := range shapes {
		for i, layout := range layouts {
			list = append(list, lab.Case{
				Name: linesName(layout, shape), Label: shape + ", " + layout,
				Probe: func(_ context.Context, b *lab.Bench) ([]lab.Metric, error) { return probeLines(b, shape, i) },
			})
		}
		for _, placer := range placers {
			list = append(list, lab.Case{
				Name: placeName(shape, placer), Label: shape + ", natural, each from " + placer,
				Probe: func(context.Context, *lab.Bench) ([]lab.Metric, error) { return probePlace(shape, placer) },
			})
		}
	}
	return list
}
