package memory

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// TextOptions say what WriteText writes, and for what width.
type TextOptions struct {
	text.Options
	All bool // all owners, not just the largest
}

func size(n uint64) string { return quantity.Tick(float64(n), "B") }

func change(n int64) string {
	if n < 0 {
		return "-" + size(uint64(-n))
	}
	return "+" + size(uint64(n))
}

// Rate is bytes a minute in words.
func Rate(perMinute float64) string {
	if perMinute < 0 {
		return "-" + Rate(-perMinute)
	}
	return quantity.Tick(math.Round(perMinute), "B") + "/min"
}

// kind is what one kind has, and had at the first look.
type kind struct {
	account.Kind
	now, before uint64
	parts       []account.Part
}

func (r *Report) kinds() (list []kind) {
	for _, k := range account.Kinds {
		x := kind{Kind: k, now: r.Last.Of(k), before: r.First.Of(k)}
		for _, p := range r.Last.Parts {
			if p.Kind == k {
				x.parts = append(x.parts, p)
			}
		}
		if x.now > 0 || x.before > 0 {
			list = append(list, x)
		}
	}
	return list
}

// named joins the largest kinds in a sentence, until what is left is little: a tenth of all, or
// less than 64 KiB.
func named(list []kind, total uint64, of func(kind) uint64) string {
	slices.SortStableFunc(list, func(a, b kind) int { return cmp.Compare(of(b), of(a)) })
	var words []string
	rest := total
	for _, k := range list {
		n := of(k)
		if n == 0 || len(words) > 0 && (n < total/20 || n < 64<<10) || len(words) == 4 {
			break
		}
		words = append(words, size(n)+" "+k.String())
		rest -= min(n, rest)
	}
	if rest > total/20 && len(words) > 0 {
		words = append(words, size(rest)+" other")
	}
	return strings.Join(words, ", ")
}

// Sentence is the report in one.
func (r *Report) Sentence() string {
	now := r.Last.RSS
	switch {
	case len(r.Samples) < 2 && r.Ended: // what it held when it ended may be much more
		return fmt.Sprintf("RSS was %s when it was looked at, once, before the process ended: %s.", size(now), named(r.kinds(), now, func(k kind) uint64 { return k.now }))
	case len(r.Samples) < 2:
		return fmt.Sprintf("RSS is %s: %s.", size(now), named(r.kinds(), now, func(k kind) uint64 { return k.now }))
	}
	before, wall := r.First.RSS, time.Duration(r.Samples[len(r.Samples)-1].NS)
	long := wall.Round(time.Second / 10).String()
	if now <= before {
		return fmt.Sprintf("RSS did not grow in %s: it was %s and is %s: %s.", long, size(before), size(now), named(r.kinds(), now, func(k kind) uint64 { return k.now }))
	}
	return fmt.Sprintf("RSS grew %s in %s, from %s to %s: %s.", size(now-before), long, size(before), size(now),
		named(r.kinds(), now-before, func(k kind) uint64 { return k.now - min(k.before, k.now) }))
}

// Judged is the verdict in a sentence.
func (r *Report) Judged() string {
	v := r.Verdict
	switch v.Class {
	case verdict.Unclear:
		return "It can't be told whether it goes on: " + v.Evidence + "."
	case verdict.Steady:
		return "Steady: " + v.Evidence + "."
	}
	return strings.ToUpper(string(v.Class[:1])) + string(v.Class[1:]) + ": " + v.Evidence + "."
}

// mostParts of a kind are shown without All.
const mostParts = 4

// WriteText writes the account for people.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	t := text.New(w, o.Options)
	t.Line(text.Bold, r.Sentence())
	if r.Verdict != nil {
		style := text.Plain
		if v := r.Verdict.Class; v != verdict.Steady && v != verdict.Cache {
			style = text.Caution
		}
		t.Line(style, r.Judged())
	}
	for _, other := range r.Rising {
		t.Line(text.Caution, "Beside it "+other+".")
	}
	if trim := r.Last.Trim; trim > 1<<20 && trim > r.Last.RSS/20 {
		t.Line(text.Plain, fmt.Sprintf("Of what malloc keeps %s are whole pages that are in memory: malloc_trim(0) can give them back.", size(trim)))
	}
	if huge := r.Last.Huge; huge > r.Last.RSS/10 {
		t.Line(text.Plain, fmt.Sprintf("%s of it are in transparent huge pages, in which less may have been touched.", size(huge)))
	}
	if r.Last.Swap > 0 {
		t.Line(text.Plain, fmt.Sprintf("%s are swapped out and not in it.", size(r.Last.Swap)))
	}
	t.WriteByte('\n')
	r.table(t, o.All)
	for _, note := range r.Last.Notes {
		t.Line(text.Caution, "! "+note+".")
	}
	if r.Others > 0 {
		t.Line(text.Faint, fmt.Sprintf("This is process %d, %s, which grew most; %s seen beside it.", r.Last.PID, filepath.Base(r.Last.Exe), quantity.Plural(r.Others, "other was", "others were")))
	}
	return t.Flush()
}

func (r *Report) table(t *text.Writer, all bool) {
	many := len(r.Samples) > 1
	name := &text.Column{Left: true, Least: 24, Rank: 4}
	now := &text.Column{Rank: 3}
	share := &text.Column{Rank: 1}
	grew := &text.Column{Rank: 2}
	count := &text.Column{Left: true, Style: text.Faint}
	row := func(what string, n uint64, before uint64, how string) {
		diff := ""
		if many {
			diff = change(int64(n) - int64(before))
		}
		text.Add([]*text.Column{name, now, share, grew, count}, what, size(n), fmt.Sprintf("%.0f %%", 100*float64(n)/float64(max(1, r.Last.RSS))), diff, how)
	}
	for _, k := range r.kinds() {
		row(k.String(), k.now, k.before, r.about(k))
		if len(k.parts) == 1 {
			continue
		}
		shown := k.parts
		if !all && len(shown) > mostParts {
			shown = shown[:mostParts-1]
		}
		for _, p := range shown {
			owner := cmp.Or(p.Owner, "not known")
			row("  "+owner, p.Bytes, before(r.First, p), number(p))
		}
		if rest := k.parts[len(shown):]; len(rest) > 0 {
			var n, was uint64
			for _, p := range rest {
				n, was = n+p.Bytes, was+before(r.First, p)
			}
			row(fmt.Sprintf("  %d others", len(rest)), n, was, "")
		}
	}
	row("RSS", r.Last.RSS, r.First.RSS, "")
	t.Table(text.Table{Columns: []*text.Column{name, now, share, grew, count}})
}

// about is what else to know of a kind.
func (r *Report) about(k kind) string {
	switch {
	case len(k.parts) != 1 && k.Kind == account.Stacks:
		return quantity.Plural(r.Last.Threads, "thread")
	case len(k.parts) != 1:
		return ""
	case k.parts[0].Owner == "":
		return number(k.parts[0])
	}
	return number(k.parts[0]) + ", " + k.parts[0].Owner
}

func number(p account.Part) string {
	switch p.Kind {
	case account.CUsed:
		return quantity.Plural(p.Count, "block")
	case account.CFree:
		return quantity.Plural(p.Count, "chunk")
	case account.Stacks, account.OldStacks:
		return quantity.Plural(p.Count, "stack")
	}
	return quantity.Plural(p.Count, "mapping")
}

func before(a *account.Account, p account.Part) uint64 {
	for _, q := range a.Parts {
		if q.Kind == p.Kind && q.Owner == p.Owner {
			return q.Bytes
		}
	}
	return 0
}
