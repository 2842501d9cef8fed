package cacheline

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// explain computes what the figures mean. Every sentence is left out where its figures
// are missing.
func explain(e *result.Experiment) {
	t := analysis{lab.Analysis{Experiment: e}}
	t.Say(t.lines(), t.places(hot), t.places(cold), t.places(chain), t.pays(), t.sharing(), t.alone())
	t.Note(t.published(), t.hidden(), t.sameCore())
	t.draw()
}

type analysis struct{ lab.Analysis }

func (t analysis) ns(layout, shape string, s set) float64 {
	return t.Value(name(layout, shape, s), unitTime)
}

// lines says what the layouts do to lines.
func (t analysis) lines() string {
	var told []string
	for _, shape := range shapes {
		var parts []string
		for _, layout := range layouts {
			n := linesName(layout, shape)
			if t.Find(n, unitSplit) == nil || t.Value(n, unitLines) == 0 || t.Value(n, unitSize) == 0 {
				continue
			}
			parts = append(parts, fmt.Sprintf("%s %.0f %% (%s lines each, %.0f bytes a struct)", layout,
				t.Value(n, unitSplit), quantity.Number(t.Value(n, unitLines)), t.Value(n, unitSize)))
		}
		if len(parts) > 0 {
			told = append(told, "of the "+shape+" structs "+strings.Join(parts, ", "))
		}
	}
	return lab.Sentence("In an array these lie on more lines than their fields need: ", told, "; ", ".")
}

// about says in words where structs are.
var about = map[string]string{
	hot:   "In the L1 cache",
	cold:  "In a large array in random order",
	chain: "Where each struct names the next, so that nothing is prefetched,",
}

// others are the layouts that are compared with aligned, the one without its memory first.
var others = []string{straddled, natural, packed}

// places says what leaf calls cost in one place.
func (t analysis) places(place string) string {
	var told []string
	for _, shape := range shapes {
		s := set{place, viaLeaf}
		base := t.ns(aligned, shape, s)
		if base == 0 {
			continue
		}
		text := fmt.Sprintf("%s with %s structs aligned to 64", quantity.Time(base), shape)
		for _, layout := range others {
			if a := t.Against(name(layout, shape, s)); a != "" {
				text += fmt.Sprintf(", %s %s", layout, a)
			}
		}
		told = append(told, text)
	}
	return lab.Sentence(about[place]+" a leaf call takes ", told, "; ", ".")
}

// pays counts where another layout than the aligned one is proven slower or faster.
func (t analysis) pays() string {
	var told []string
	for _, layout := range others {
		var faster, slower []string
		n := 0
		for _, shape := range shapes {
			for _, s := range sets {
				c := t.Compared(name(layout, shape, s))
				if c == nil {
					continue
				}
				n++
				where := shape + " " + s.place + " by " + s.via
				switch stats.Verdict(c.Verdict) {
				case stats.Faster:
					faster = append(faster, where)
				case stats.Slower:
					slower = append(slower, where)
				}
			}
		}
		if n > 0 {
			told = append(told, fmt.Sprintf("%s is slower in %d of %d%s and faster in %d%s", layout, len(slower), n, listed(slower), len(faster), listed(faster)))
		}
	}
	return lab.Sentence("Against structs aligned to 64, ", told, "; ", ".")
}

func listed(list []string) string { return lab.Sentence(" (", list, ", ", ")") }

// sharing says what two threads do to each other.
func (t analysis) sharing() string {
	var told []string
	for _, via := range []string{viaLeaf, viaCgo, viaCounter} {
		all := sharings
		if via == viaCounter {
			all = counters
		}
		var text string
		for _, s := range all {
			ns := t.Value(s.name(via), unitTime)
			switch {
			case s.key == aligned && ns > 0:
				text = fmt.Sprintf("%s takes %s%s", map[string]string{viaLeaf: "a leaf call", viaCgo: "a cgo call", viaCounter: "adding to a counter, without C,"}[via],
					quantity.Time(ns), text)
			case s.key != aligned && s.threads == 2:
				if a := t.Against(s.name(via)); a != "" {
					text += fmt.Sprintf(", %s %s", apartWords(s), a)
				}
			}
		}
		if strings.Contains(text, " takes ") {
			told = append(told, text)
		}
	}
	return lab.Sentence("With two threads, each with memory of its own at multiples of 64 bytes: ", told, "; ", ".")
}

// apartWords says how two threads' memory lies.
func apartWords(s sharing) string {
	_, apart, _ := strings.Cut(s.label, ", ")
	if apart == "side by side" {
		return s.layout + " structs " + apart
	}
	return apart
}

// alone says where structs lie that are not in an array.
func (t analysis) alone() string {
	var told []string
	split := func(placer string) float64 { return t.Value(placeName(small, placer), unitSplit) }
	for _, p := range []struct{ placer, words string }{
		{placeGo, "Of natural structs that Go allocates one by one %s lie on more lines than they need"},
		{placeMalloc, "of those from malloc %s"},
	} {
		var parts []string
		for _, shape := range shapes {
			if s := t.Find(placeName(shape, p.placer), unitSplit); s != nil {
				parts = append(parts, fmt.Sprintf("%.0f %% of the %s", s.Median, shape))
			}
		}
		if len(parts) > 0 {
			told = append(told, fmt.Sprintf(p.words, strings.Join(parts, " and ")))
		}
	}
	if len(told) < 2 {
		return ""
	}
	text := strings.Join(told, ", ") + "."
	if split(placeGo) == 0 {
		text += " Go rounds sizes up to its classes, and those of 64 and 128 bytes begin on a line."
	}
	if split(placeMalloc) > 50 {
		text += " malloc keeps a header before each block, which moves the block off the line's beginning."
	}
	return text
}

// published compares today's figures with the published ones.
func (t analysis) published() string {
	s := set{cold, viaCgo}
	before, after := t.ns(straddled, small, s), t.ns(aligned, small, s)
	if before == 0 || after == 0 {
		return ""
	}
	text := fmt.Sprintf("Published (%s): %.0f %% of lines polluted and %.0f ns for structs that straddle, %.0f %% and %.0f ns when aligned to 64, so %s times as much. "+
		"What those structs hold and where they lie was not published. The nearest here, small structs in a large array by cgo, take %s when they straddle and %s aligned",
		reference.MixedCalls.Setting(), reference.StraddlingLines.Value, reference.StraddlingCall.Value, reference.AlignedLines.Value, reference.AlignedCall.Value,
		quantity.Number(reference.StraddlingCall.Value/reference.AlignedCall.Value), quantity.Time(before), quantity.Time(after))
	if a := t.Against(name(straddled, small, s)); a != "" {
		text += ", block by block " + a
	}
	if a, b := t.Find(linesName(natural, small), unitSplit), t.Find(linesName(aligned, small), unitSplit); a != nil && b != nil {
		text += fmt.Sprintf(". Of structs in natural layout %.0f %% straddle, of the aligned %.0f %%", a.Median, b.Median)
	}
	return text + "."
}

// hidden says why lines may make no difference, where it is proven that they
// don't or that layouts with less memory still win.
func (t analysis) hidden() string {
	var list []string
	is := func(layout string, want stats.Verdict) bool {
		c := t.Compared(name(layout, small, set{cold, viaLeaf}))
		return c != nil && c.Verdict == string(want)
	}
	if is(straddled, stats.Same) || is(straddled, stats.Faster) {
		list = append(list, "The second line is fetched at the same time as the first, often along with it (processors fetch lines in pairs): that is why straddling does not show in the large array.")
	}
	if is(natural, stats.Faster) || is(packed, stats.Faster) {
		list = append(list, "Padding makes an array larger, so less of it fits in the caches and the TLB: that is why aligned structs lose to smaller ones there.")
	}
	return strings.Join(list, " ")
}

// sameCore warns where false sharing can't be seen.
func (t analysis) sameCore() string {
	c := t.Compared(counters[0].name(viaCounter))
	if c == nil || c.Ratio >= 1.2 {
		return ""
	}
	return fmt.Sprintf("Two counters on one line take %s times what they take on two lines. If they hardly disturb each other, the two CPUs share an L1 cache or never ran at the same time, and this run says nothing about false sharing.",
		quantity.Number(c.Ratio))
}
