package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A Sentence is what an experiment says. It is made by [Tell] alone, of words without
// numbers and of [Part] values, so that it can't claim more than the table beside it: a
// number is one of the table's, and a difference is one comparison's, with the ratio, the
// interval and the verdict that the table shows. The zero Sentence says nothing.
type Sentence struct{ text string }

// A Part is a piece of a sentence that may hold numbers. One whose figures are missing
// takes its sentence with it.
type Part struct {
	text    string
	missing bool
}

var missing = Part{missing: true}

// Tell makes a sentence. format is words, and %s for each part; it holds no digits.
func Tell(format string, parts ...Part) Sentence {
	if strings.ContainsAny(format, "0123456789") {
		panic("lab: a number that is no part of the table: " + format)
	}
	texts := make([]any, len(parts))
	for i, p := range parts {
		if p.missing {
			return Sentence{}
		}
		texts[i] = p.text
	}
	return Sentence{fmt.Sprintf(format, texts...)}
}

// Set is a setting of the experiment: a size, a number of goroutines, a label. Labels of
// cases or the paragraph about the experiment must name it too.
func Set(v any) Part {
	text := fmt.Sprint(v)
	return Part{text, text == ""}
}

// Published is a published figure, which stands in the table and in its source.
func Published(r *result.Reference, unit string) Part {
	if r == nil {
		return missing
	}
	return Part{quantity.Format(r.Value, unit), false}
}

// Figure is the median of a series.
func (a Analysis) Figure(name, unit string) Part {
	s := a.Find(name, unit)
	if s == nil {
		return missing
	}
	return Part{quantity.Format(s.Median, s.Unit), false}
}

// Range is the median of a series with its interval.
func (a Analysis) Range(name, unit string) Part {
	s := a.Find(name, unit)
	if s == nil {
		return missing
	}
	text := quantity.Format(s.Median, s.Unit)
	if in := quantity.Interval(s.Lo, s.Hi, s.Unit); in != "" && s.Lo < s.Hi { // of one process there is none
		text += " (" + in + ")"
	}
	return Part{text, false}
}

// Excess is a series that is a difference itself, a loss say, with its interval. Where that
// holds zero, the interval is all that is known.
func (a Analysis) Excess(name, unit string) Part {
	s := a.Find(name, unit)
	switch {
	case s == nil:
		return missing
	case s.Lo == s.Hi:
		return Part{quantity.Format(s.Median, s.Unit) + " in one process", false}
	case s.Lo <= 0 && s.Hi >= 0:
		return Part{"undecided (" + quantity.Interval(s.Lo, s.Hi, s.Unit) + ")", false}
	}
	return a.Range(name, unit)
}

// counted are the units of what is counted or weighed: 262 threads are more than 9 whatever
// a stopwatch may prove, and how far they vary is what a reader wants to know.
func counted(unit string) bool {
	base, _, _ := strings.Cut(unit, "/")
	switch base {
	case "threads", "count", "B", "bytes", "misses":
		return true
	}
	return false
}

// spread is the range of all that was counted: "9 threads (8–11)".
func spread(s *result.Series) string {
	text := quantity.Whole(s.Median, s.Unit)
	values := make([]float64, len(s.Samples))
	for i, x := range s.Samples {
		values[i] = x.Value
	}
	if len(values) > 1 && slices.Min(values) != slices.Max(values) {
		text += " (" + quantity.Interval(slices.Min(values), slices.Max(values), s.Unit) + ")"
	}
	return text
}

// Lines joins parts, each after its words, without those that are missing.
func Lines(words []string, parts []Part) Part {
	var told []string
	for i, p := range parts {
		if !p.missing {
			told = append(told, words[i]+" "+p.text)
		}
	}
	if len(told) == 0 {
		return missing
	}
	return Part{strings.Join(told, "; "), false}
}

// Compare is how a series compares with a base: "0.17× (0.16–0.18×), faster", or
// "undecided below 1.3×". Where the experiment has not compared them, they are compared now, and
// that comparison is added to its table.
func (a Analysis) Compare(name, base, unit string) Part {
	c := a.Against(name, base, unit)
	if c == nil {
		return missing
	}
	return Part{c.Words(), false}
}

// Proven is the verdict on a series against a base, "" where nothing is proven.
func (a Analysis) Proven(name, base, unit string) stats.Verdict {
	c := a.Against(name, base, unit)
	if c == nil || !c.Proven() {
		return ""
	}
	return stats.Verdict(c.Verdict)
}

// Named is a series in words; without any, its label stands for it. Base is what it is
// compared with, if that is not the list's.
type Named struct{ Name, Words, Base string }

// Each lists those series that were measured, with how they compare with the base, if
// that is one: "cgo 42.7 ns; leaf 7.21 ns, 0.17× (0.16–0.18×), faster".
func (a Analysis) Each(unit, base string, all ...Named) Part {
	var told []string
	for _, n := range all {
		s := a.Find(n.Name, unit)
		if s == nil {
			continue
		}
		words := n.Words
		if words == "" {
			words = s.Label
		}
		text := words + " " + quantity.Format(s.Median, s.Unit)
		if n.Base == "" {
			n.Base = base
		}
		c := a.Against(n.Name, n.Base, unit)
		if counted(unit) {
			text = words + " " + spread(s)
		}
		if c != nil && (c.Proven() || !counted(unit)) {
			text += ", " + c.Words()
		}
		told = append(told, text)
	}
	if len(told) == 0 {
		return missing
	}
	return Part{strings.Join(told, "; "), false}
}

// Against finds the comparison of a series with a base, or makes it; nil where they can't
// be compared.
func (a Analysis) Against(name, base, unit string) *result.Comparison {
	for i := range a.Comparisons {
		if c := &a.Comparisons[i]; c.Name == name && c.Base == base && c.Unit == unit {
			return c
		}
	}
	s, b := a.Find(name, unit), a.Find(base, unit)
	if s == nil || b == nil || s == b {
		return nil
	}
	blocks := result.SideBySide(s, b)
	if len(blocks) == 0 {
		return nil
	}
	margin := Margin
	for _, c := range a.Controls {
		if control := a.Find(c.Name, c.Unit); control != nil && control.Group == s.Group && c.Unit == unit && c.Ratio > 0 {
			margin = max(margin, c.Ratio-1, 1/c.Ratio-1)
		}
	}
	c := comparison(name, base, judged(stats.CompareMedians(blocks, s.Median/b.Median, margin, 1)))
	c.Unit, c.Further = unit, true
	a.Comparisons = append(a.Comparisons, c)
	return &a.Comparisons[len(a.Comparisons)-1]
}

// judged takes equality back where a control's margin alone made it so: noise makes it
// harder to prove a difference; it must not make it easier to prove that there is none.
func judged(c stats.Comparison) stats.Comparison {
	if c.Verdict == stats.Same && (c.Lo < 1/(1+Margin) || c.Hi > 1+Margin) {
		c.Verdict = stats.Unproven
	}
	return c
}

// An Advice is what to do, by what one comparison shows. Words without digits end before its
// figures: "Use leaf for C that returns within microseconds: against cgo ".
type Advice struct {
	Name, Base, Unit     string
	Faster, Slower, Same string // "" where that says nothing
}

// Advise is what the experiment recommends: the first of the list that this run decides. Where it
// decides none, the machine was too busy, or the run too short, and what to run is said.
func (a Analysis) Advise(list ...Advice) {
	for _, x := range list {
		c := a.Against(x.Name, x.Base, x.Unit)
		if c == nil || !c.Proven() {
			continue
		}
		words := map[stats.Verdict]string{stats.Faster: x.Faster, stats.Slower: x.Slower, stats.Same: x.Same}[stats.Verdict(c.Verdict)]
		if words == "" {
			continue
		}
		a.Experiment.Advice = Tell(words+"%s.", Part{c.Words(), false}).text
		return
	}
	for _, x := range list {
		if c := a.Against(x.Name, x.Base, x.Unit); c != nil && !c.Proven() {
			a.Experiment.Advice = Tell("This machine is too busy to say (%s): run seam lab %s when it does little else.", Part{c.Words(), false}, Set(a.Name)).text
			return
		}
	}
}

// Say adds findings, the first of which is the experiment's verdict. Those that say
// nothing, for want of figures, are left out.
func (a Analysis) Say(sentences ...Sentence) { a.Findings = append(a.Findings, said(sentences)...) }

// Note adds notes in the same way.
func (a Analysis) Note(sentences ...Sentence) { a.Notes = append(a.Notes, said(sentences)...) }

func said(sentences []Sentence) (texts []string) {
	for _, s := range sentences {
		if s.text != "" {
			texts = append(texts, s.text)
		}
	}
	return texts
}

// Headline marks a figure that a page shows first, in a few words.
func (a Analysis) Headline(name, unit, words string) {
	if a.Find(name, unit) != nil {
		a.Headlines = append(a.Headlines, result.Headline{Name: name, Unit: unit, Words: words})
	}
}
