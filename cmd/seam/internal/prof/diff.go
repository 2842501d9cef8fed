package prof

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A Change is how much of the time a function has of its own in two profiles, in shares of 1:
// runs differ in length, and benchmarks do as much as they have time for.
type Change struct {
	Func, File  string
	Kind        Kind
	Before, Now float64
	Noise       float64 // so much two profiles of the same program differ by, in 95 of 100 pairs
}

// A subject is what a function is called in every build.
type subject struct {
	name string
	kind Kind
}

// cgo puts a hash of the package into the names of what it generates.
var hashOfCgo = regexp.MustCompile(`^(_cgo_|_cgoexp_)[0-9a-f]{12}_`)

func subjectOf(name string, k Kind) subject {
	return subject{hashOfCgo.ReplaceAllString(name, "$1"), k}
}

// Diff compares two profiles, the functions whose share has changed most first.
func Diff(before, now *Profile) []Change {
	changes := map[subject]*Change{}
	add := func(p *Profile, share func(*Change) *float64) {
		total := float64(max(1, p.Total(0)))
		for _, t := range p.Top(0) {
			key := subjectOf(t.Func, t.Kind)
			c := changes[key]
			if c == nil {
				c = &Change{}
				changes[key] = c
			}
			c.Func, c.File, c.Kind = t.Func, t.File, t.Kind
			*share(c) += float64(t.Own) / total
		}
	}
	add(before, func(c *Change) *float64 { return &c.Before })
	add(now, func(c *Change) *float64 { return &c.Now })
	var list []Change
	for _, c := range changes {
		if c.Before > 0 || c.Now > 0 {
			c.Noise = noise(before.samples(), now.samples(), *c)
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Now-b.Before), math.Abs(a.Now-a.Before)), cmp.Compare(a.Func, b.Func), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// samples is how many the profile has.
func (p *Profile) samples() float64 { return float64(p.Total(0)) / float64(max(1, p.Period)) }

// noise is what chance makes of a share in so many samples: that of a function which has it
// in both profiles.
func noise(before, now float64, c Change) float64 {
	if before == 0 || now == 0 {
		return 1
	}
	// With one sample more in each, as Agresti and Caffo have it: of a share of which there are few
	// the samples say less than their own spread does.
	share := (c.Before*before + c.Now*now + 2) / (before + now + 4)
	return 1.96 * math.Sqrt(share*(1-share)*(1/before+1/now))
}

// points is a difference of shares in percentage points.
func points(c Change) string { return fmt.Sprintf("%+.1f", 100*(c.Now-c.Before)) }

// within is what points may differ by without a meaning.
func within(c Change) string { return fmt.Sprintf("%.1f", 100*c.Noise) }

func percent(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// WriteDiff writes what has changed since another profile.
func (p *Profile) WriteDiff(to io.Writer, before *Profile, o TextOptions) error {
	w := text.New(to, o.Options)
	w.Line(text.Bold, "Own shares of the CPU time, before and now:")
	sides := []*text.Column{{Head: "before %"}, {Head: "now %"}, {Head: "points"}, {Head: "noise"}, {Head: "side", Left: true}}
	old, shares := before.Shares(0), p.Shares(0)
	for _, k := range Kinds() {
		if c := (Change{Before: old[k], Now: shares[k]}); c.Before > 0 || c.Now > 0 {
			c.Noise = noise(before.samples(), p.samples(), c)
			text.Add(sides, percent(c.Before), percent(c.Now), points(c), within(c), k.String())
		}
	}
	w.Table(text.Table{Columns: sides, Rule: true})
	w.WriteString("\n")
	list := Diff(before, p)
	columns := []*text.Column{
		{Head: "before %"}, {Head: "now %"}, {Head: "points"}, {Head: "noise"}, {Head: "side", Left: true, Rank: 4},
		{Head: "function", Left: true, Rank: 9, Least: 20}, {Head: "file", Left: true, Start: true, Least: 8},
	}
	for i, c := range list {
		if i >= shown && !o.All {
			break
		}
		file := ""
		if c.File != "" {
			file = filepath.Base(c.File)
		}
		text.Add(columns, percent(c.Before), percent(c.Now), points(c), within(c), c.Kind.String(), c.Func, file)
	}
	w.Table(text.Table{Columns: columns, Rule: true})
	return w.Flush()
}
