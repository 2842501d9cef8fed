package lifetime

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// explain computes what the figures mean. Every sentence is left out where its figures
// are missing.
func explain(e *result.Experiment) {
	t := analysis{lab.Analysis{Experiment: e}}
	t.Say(t.crossing(toC, "Handing %d bytes to C"), t.crossing(fromC, "Getting %d bytes from C"), t.handles(), t.stacks(), t.heap(), t.leak())
	t.Note(t.judge(), t.dearer())
	t.charts()
}

type analysis struct{ lab.Analysis }

func (t analysis) ns(w way) float64 { return t.Value(w.name(), unitTime) }

// memory says in words what a call takes; "" where it was not counted.
func (t analysis) memory(w way) string {
	allocs, ok := t.Median(w.name(), unitAllocs)
	size, okSize := t.Median(w.name(), unitGo)
	c, okC := t.Median(w.name(), unitC)
	if !ok || !okSize || !okC {
		return ""
	}
	var parts []string
	if allocs >= 1 {
		parts = append(parts, fmt.Sprintf("%s of %.0f bytes in Go", quantity.Plural(int(math.Round(allocs)), "allocation"), size))
	}
	if c >= 1 {
		parts = append(parts, fmt.Sprintf("%.0f bytes of malloc", c))
	}
	if len(parts) == 0 {
		return "nothing allocated"
	}
	return strings.Join(parts, " and ")
}

// crossing compares the first idiom of a group with the cheapest.
func (t analysis) crossing(group, doing string) string {
	var told []string
	for _, n := range sizes {
		b := way{base(group), n}
		best := b
		for _, d := range idioms {
			if w := (way{d, n}); d.group == group && t.ns(w) > 0 && t.ns(w) < t.ns(b) && (best.key == b.key || t.ns(w) < t.ns(best)) {
				best = w
			}
		}
		if t.ns(b) == 0 {
			continue
		}
		text := fmt.Sprintf("%s costs %s by %s%s", fmt.Sprintf(doing, n), quantity.Time(t.ns(b)), b.idiom.label, in(t.memory(b)))
		if best.key == b.key {
			text += ", and nothing else is cheaper here"
		} else {
			text += fmt.Sprintf("; the cheapest is %s: %s", best.idiom.label, quantity.Time(t.ns(best)))
			if a := t.Against(best.name()); a != "" {
				text += ", " + a
			}
			text += in(t.memory(best))
		}
		told = append(told, text+".")
	}
	return strings.Join(told, " ")
}

func in(memory string) string {
	if memory == "" {
		return ""
	}
	return ", " + memory
}

func (t analysis) handles() string {
	b := way{idiom: base(keep)}
	if t.ns(b) == 0 {
		return ""
	}
	text := fmt.Sprintf("Giving C a Go value and taking it back costs %s with %s%s", quantity.Time(t.ns(b)), b.idiom.label, in(t.memory(b)))
	for _, d := range idioms {
		if w := (way{idiom: d}); d.group == keep && d.key != b.key && t.ns(w) > 0 {
			text += fmt.Sprintf("; with %s %s", d.label, quantity.Time(t.ns(w)))
			if a := t.Against(w.name()); a != "" {
				text += ", " + a
			}
			text += in(t.memory(w))
		}
	}
	return text + "."
}

// find is the idiom of a key.
func find(key string) idiom {
	for _, d := range idioms {
		if d.key == key {
			return d
		}
	}
	panic("lifetime: no idiom " + key)
}

// stacks says what happens to an array that Go means to have on the stack.
func (t analysis) stacks() string {
	var told []string
	for _, n := range sizes {
		var parts []string
		for _, key := range []string{"stack-cgo", "stack-noescape", "stack-fill"} {
			w := way{find(key), n}
			if t.ns(w) > 0 && t.memory(w) != "" {
				parts = append(parts, fmt.Sprintf("%s %s (%s)", strings.TrimLeft(strings.TrimPrefix(w.idiom.label, "Go array"), ", "), quantity.Time(t.ns(w)), t.memory(w)))
			}
		}
		if len(parts) > 1 {
			told = append(told, fmt.Sprintf("%d bytes: %s", n, strings.Join(parts, ", ")))
		}
	}
	return lab.Sentence("A local array in Go that C fills, of ", told, "; of ", ". The compiler puts what is passed to cgo on the heap, unless it is told otherwise.")
}

// verdict is what the compiler said about an idiom, and how many values escape.
func (t analysis) verdict(d idiom) (text string, escapes int) {
	s := t.Find(d.verdictName(), unitEscapes)
	if s == nil {
		return "", 0
	}
	text, _ = strings.CutPrefix(s.Label, d.label+": ")
	return text, int(s.Median)
}

// heap lists the idioms in which the compiler sends something to the heap.
func (t analysis) heap() string {
	all := 0
	var told []string
	for _, d := range idioms {
		text, escapes := t.verdict(d)
		if text == "" {
			continue
		}
		all++
		if escapes > 0 {
			told = append(told, d.key)
		}
	}
	if all == 0 {
		return ""
	}
	text := fmt.Sprintf("In %d of %d idioms the compiler puts a value on the heap, or needs the caller's to be there already", len(told), all)
	if len(told) > 0 {
		text += ": " + strings.Join(told, ", ")
	}
	return text + ". The table quotes it."
}

func (t analysis) leak() string {
	var told []string
	for _, n := range sizes {
		if v, ok := t.Median(leakName(n), unitLeak); ok && v > 0 {
			told = append(told, fmt.Sprintf("%s in RAM for %d bytes, %s in a million calls", quantity.Bytes(v), n, quantity.Bytes(1e6*v)))
		}
	}
	return lab.Sentence("A missing free after C.CString keeps ", told, "; ", ". Go's collector knows nothing of it, and none of Go's limits applies to it.")
}

// judge says whose verdicts the table has.
func (t analysis) judge() string {
	s := t.Find(verdictsName, unitIdioms)
	if s == nil {
		return ""
	}
	return "The idioms were " + s.Label + "."
}

// seams are the ways of packages mem and leaf.
var seams = []string{"view", "registered", "owner-view", "stack-fill", "fill", "registered-fill", "arena", "handle"}

// dearer says where Seam's ways lose to the cheapest without them.
func (t analysis) dearer() string {
	var lost []string
	for _, w := range ways() {
		if !slices.Contains(seams, w.key) || t.ns(w) == 0 {
			continue
		}
		var best way
		for _, d := range idioms {
			other := way{d, w.bytes}
			if d.group == w.group && !slices.Contains(seams, d.key) && t.ns(other) > 0 && (best.key == "" || t.ns(other) < t.ns(best)) {
				best = other
			}
		}
		if best.key != "" && t.ns(w) > 1.05*t.ns(best) {
			lost = append(lost, fmt.Sprintf("%s (%s against %s of %s)", w.label(), quantity.Time(t.ns(w)), quantity.Time(t.ns(best)), best.idiom.label))
		}
	}
	return lab.Sentence("Ways of packages mem and leaf that cost more than the cheapest without them: ", lost, ", ", ".")
}
