// Package grid asks how much work a C call must replace before it pays off.
//
// It repeats a published grid: a function that sums 0..count, in Go and
// in C, for seven counts. The C side adds nothing up (see work.h), so its time
// is the price of the call and the Go side's time is the work. A second kind of
// work, which no compiler can shorten, shows the other end: C that is no faster
// than Go never pays for its call.
//
// Where the two curves cross is not read off the table. It is searched for, in
// every process anew, so that its interval holds what differs between processes.
package grid

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab grid`.
var Experiment = lab.Experiment{
	Name:    "grid",
	Title:   "How much work must a C call replace?",
	Sources: []*result.Source{reference.CgoCost},
	About: "The same work in Go, in C through cgo and in C through leaf, for a growing number of steps. " +
		"fold: sum 0..count, where Go loops and C evaluates the formula that a C compiler (clang) makes of that loop: " +
		"the C side shows the cost of the call alone. " +
		"nofold: a chain of multiply, add, shift and xor that is the same instructions in both. " +
		"The break-even is found by bisection over paired timings, once in every process.",
	Cases:   cases,
	Explain: explain,
}

// A kind is a sort of work; a via is a way to get it done. Both are written as
// they stand in benchmark names.
type (
	kind string
	via  string
)

const (
	fold   kind = "fold"
	nofold kind = "nofold"

	viaGo   via = "go"
	viaCgo  via = "cgo"
	viaLeaf via = "leaf"
)

var (
	kinds = []kind{fold, nofold}
	vias  = []via{viaGo, viaCgo, viaLeaf}
	// crossings are the ways that leave Go.
	crossings = []via{viaCgo, viaLeaf}
)

func seriesName(count int64, k kind, v via) string {
	return fmt.Sprintf("Grid/work=%d/kind=%s/via=%s", count, k, v)
}

func breakEvenName(k kind, v via) string {
	return fmt.Sprintf("Grid/breakeven/kind=%s/via=%s", k, v)
}

func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, k := range kinds {
		for _, row := range reference.Grid {
			for _, v := range vias {
				list = append(list, lab.Case{
					Name:      seriesName(row.Count, k, v),
					Label:     fmt.Sprintf("%s, count %d, %s", k, row.Count, v),
					Group:     fmt.Sprintf("%s, count %d", k, row.Count),
					Base:      v == viaGo,
					Reference: published(row, k, v),
					Setup: func() (*lab.Op, error) {
						return newOp(k, v, row.Count)
					},
				})
			}
		}
	}
	for _, k := range kinds {
		for _, v := range crossings {
			list = append(list, lab.Case{
				Name:  breakEvenName(k, v),
				Label: fmt.Sprintf("break-even, %s, %s against go", k, v),
				Probe: breakEvenProbe(k, v),
			})
		}
	}
	return append(list, lab.Case{
		Name:  "Grid/calls",
		Label: "calls in a run, all counts",
		Probe: callsProbe(callsOf(mode)),
	})
}

// newOp returns the work of kind k for count steps, done by way of v.
func newOp(k kind, v via, count int64) (*lab.Op, error) {
	var run func(n int)
	var err error
	if v == viaGo {
		run = goRun(k, count)
	} else {
		run, err = crossingRun(k, v, count)
	}
	if err != nil {
		return nil, err
	}
	return &lab.Op{Run: run}, nil
}

// published is the figure for a row of the grid, or nil.
func published(r reference.GridRow, k kind, v via) *result.Reference {
	switch {
	case k != fold:
		return nil
	case v == viaGo:
		return r.GoTime().Reference()
	case v == viaCgo:
		return reference.GridCgo.Reference()
	}
	return nil
}
