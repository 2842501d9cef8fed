// Package grid asks how much work a C call must replace before it pays off.
//
// It repeats the first article's grid: a function that sums 0..count, in Go and
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
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is the grid of article 1.
var Experiment = lab.Experiment{
	Name:     "grid",
	Title:    "How much work must a C call replace?",
	Articles: []int{1},
	About: "The same work in Go, in C through cgo and in C through leaf, for a growing count of steps. " +
		"fold: sum 0..count, where Go loops and C evaluates the formula that the article's C compiler made of its loop: " +
		"the C side shows the price of the call alone. " +
		"nofold: a chain of multiply, add, shift and xor that takes the same instructions in both. " +
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
		for _, row := range article {
			for _, v := range vias {
				list = append(list, lab.Case{
					Name:      seriesName(row.count, k, v),
					Label:     fmt.Sprintf("%s, count %d, %s", k, row.count, v),
					Group:     fmt.Sprintf("%s, count %d", k, row.count),
					Base:      v == viaGo,
					Reference: row.reference(k, v),
					Setup: func() (*lab.Op, error) {
						return newOp(k, v, row.count)
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

// articleMachine is where the article's figures come from.
const articleMachine = "2019 MacBook Pro i7 2.6 GHz, Go 1.14"

// The article gives the time of a C call as a range that holds for all counts.
const articleCallLo, articleCallHi = 54.0, 61.0

// articleRow is a row of the article's table.
type articleRow struct {
	count int64
	goNs  float64 // ns per call in Go
	ratio float64 // cgo/go
}

var article = []articleRow{
	{10, 5, 12},
	{50, 22, 2.4},
	{100, 34, 1.6},
	{500, 132, 0.41},
	{1000, 257, 0.216},
	{5000, 1240, 0.045},
	{10000, 2600, 0.022},
}

// articleCalls are the numbers of calls that the article timed as one run.
var articleCalls = []int{500_000, 1_000_000, 5_000_000, 10_000_000}

// The article's table has its break-even between these counts.
const articleBreakLo, articleBreakHi = 100, 500

func (r articleRow) reference(k kind, v via) *result.Reference {
	switch {
	case k != fold:
		return nil
	case v == viaGo:
		return &result.Reference{Value: r.goNs, Article: 1, Note: articleMachine}
	case v == viaCgo:
		return &result.Reference{
			Value:   (articleCallLo + articleCallHi) / 2,
			Article: 1,
			Note:    fmt.Sprintf("the middle of %v–%v ns, given for all counts; %s", articleCallLo, articleCallHi, articleMachine),
		}
	}
	return nil
}
