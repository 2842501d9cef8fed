// Package errorpath shows what the error paths of generated decoders cost while
// nothing goes wrong.
package errorpath

import (
	"context"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
)

// Experiment is `seam lab errorpath`.
var Experiment = variant{}.experiment()

// A variant is the experiment with another generator. It is there to test
// the comparison of two versions of generated code.
type variant struct {
	name   string                   // of the experiment; "" is errorpath
	change func(text string) string // what becomes of a generated file; nil leaves it
	sizes  []int                    // nil: those of the mode
	only   string                   // layout; "" is all
}

func (v variant) experiment() lab.Experiment {
	if v.name == "" {
		v.name = "errorpath"
	}
	return lab.Experiment{
		Name:    v.name,
		Title:   "What do error paths cost a generated decoder that never takes them?",
		Sources: []*result.Source{reference.ErrorPaths},
		About: "Decoders of many struct types, generated and built during the run by seam's own generator and the go command, decode one small message of each type in turn into existing objects. " +
			"The types are nested lists and maps of numbers with some more fields, each type with field numbers and names of its own; the code that reads lists and maps is shared, as seam does for the types of one file. " +
			"One program has the decoders of all types in one layout of the error paths; its first n types are in use. " +
			"bare: a decoder returns a negative number, and the run-time library finds out later what was wrong. inline: each error is wrapped where it is returned, by fmt.Sprintf. " +
			"goto: the error paths of a function jump to one label at its end. outlined: each calls a function that is not inlined. " +
			"Where the linker puts a function matters too, so the processes of the run alternate between programs with different orders of functions (-randlayout). " +
			"Time is the thread's CPU time. " +
			"Code bytes are those of the decoders in use, with their lists and maps and without the run-time library. " +
			"L1 instruction misses are those of the processor's counter (perf_event), or else of Cachegrind's model of this machine's cache. " +
			"The yardstick loads words and fills maps without any of Seam's code: it tells seam lab compare what the machine did.",
		Cases:   v.cases,
		Explain: func(e *result.Experiment) { explain(e, machine.Read().CacheL1I) },
	}
}

// layouts are the ways to write an error path; the others are compared with the first.
var layouts = []string{gen.LayoutBare, gen.LayoutInline, gen.LayoutGoto, gen.LayoutOutlined}

// sizes are the numbers of struct types in rotation.
func sizes(mode lab.Mode) []int {
	return lab.InQuick(mode, []int{1, 16, 64}, []int{1, 16, 64, 256})
}

// seeds is how many orders of the functions there are. A process takes one.
func seeds(mode lab.Mode) int {
	return lab.ByMode(mode, 2, 5, 8)
}

// Units of the metrics.
const (
	unitTime   = "ns/op"
	unitCode   = "code-bytes"
	unitMisses = "L1i-misses/op"
)

// Who counts L1 instruction misses.
const (
	byCounter    = "perf_event"
	byCachegrind = "Cachegrind"
)

func name(layout string, types int) string {
	return fmt.Sprintf("ErrorPath/layout=%s/types=%d", layout, types)
}

func yardstickName(types int) string { return fmt.Sprintf("ErrorPath/yardstick=plain/types=%d", types) }

func label(layout string, types int) string { return layout + ", " + typesLabel(types) }

func missLabel(layout string, types int, source string) string {
	return fmt.Sprintf("%s: L1i misses by %s", label(layout, types), source)
}

func typesLabel(n int) string {
	if n == 1 {
		return "1 type"
	}
	return fmt.Sprintf("%d types", n)
}

func (v variant) sizesOf(mode lab.Mode) []int {
	if v.sizes != nil {
		return v.sizes
	}
	return sizes(mode)
}

func (v variant) layouts() []string {
	if v.only != "" {
		return []string{v.only}
	}
	return layouts
}

func (v variant) cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, n := range v.sizesOf(mode) {
		group := "decoders of " + typesLabel(n)
		for i, layout := range v.layouts() {
			list = append(list, lab.Case{
				Name: name(layout, n), Label: label(layout, n), Group: group, Base: i == 0,
				Start: func(ctx context.Context, b *lab.Bench) (*lab.Op, error) {
					return v.start(ctx, b, layout, n, false)
				},
			})
		}
		list = append(list, lab.Case{
			Name: yardstickName(n), Label: "yardstick: words and maps by hand, " + typesLabel(n), Group: group, Yardstick: true,
			Start: func(ctx context.Context, b *lab.Bench) (*lab.Op, error) {
				return v.start(ctx, b, v.layouts()[0], n, true)
			},
		})
	}
	list = append(list, lab.Case{Name: "ErrorPath/what=code", Label: "code of the decoders", Probe: v.probeCode})
	for _, n := range v.sizesOf(mode) {
		list = append(list, lab.Case{
			Name: fmt.Sprintf("ErrorPath/what=L1i/types=%d", n), Label: "L1 instruction misses, " + typesLabel(n),
			Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return v.probeMisses(ctx, b, n) },
		})
	}
	return list
}
