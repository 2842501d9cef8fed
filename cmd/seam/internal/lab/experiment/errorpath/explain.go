package errorpath

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// explain adds what the figures say. cache is the size of the L1 instruction
// cache, 0 where it is not known.
func explain(e *result.Experiment, cache int) {
	t := analysis{lab.Analysis{Experiment: e}, float64(cache)}
	t.Say(t.published(), t.where(), t.code(), t.missing(), t.choice())
	t.Note(t.source(), t.leftOut())
	t.charts()
}

type analysis struct {
	lab.Analysis
	cache float64
}

// sizes are the numbers of types for which something was timed.
func (t analysis) sizes() []int {
	return slices.DeleteFunc(sizes(lab.Full), func(n int) bool {
		return !slices.ContainsFunc(layouts, func(l string) bool { return t.Find(name(l, n), unitTime) != nil })
	})
}

func (t analysis) median(layout string, types int, unit string) (float64, bool) {
	return t.Median(name(layout, types), unit)
}

// A size says whether the decoders in use fit in the cache. They are those of
// inline, which are the largest: where it fits, all do.
type size int

const (
	fits size = iota
	outgrows
)

// shows says what a comparison of inline with bare reveals about the published 10 %.
type shows int

const (
	open shows = iota // it could be there or not
	yes               // slower, and 10 % is in reach of the interval
	less              // slower, by less than 10 %
	no                // not proven slower, and less than 10 % for sure
)

func judge(c *result.Comparison) shows {
	switch {
	case c.Verdict == "slower" && c.Hi >= reference.ErrorsInPlace.Value:
		return yes
	case c.Verdict == "slower":
		return less
	case c.Hi > 0 && c.Hi < reference.ErrorsInPlace.Value:
		return no
	}
	return open
}

// published says what wrapping in place costs with each number of types.
func (t analysis) published() string {
	var told []string
	for _, n := range t.sizes() {
		c := t.Compared(name(gen.LayoutInline, n))
		if c == nil {
			continue
		}
		what := map[shows]string{yes: "it shows", less: "slower, but by less", no: "it does not show", open: "too noisy to tell"}[judge(c)]
		told = append(told, fmt.Sprintf("%s %s (%s to %s): %s", typesLabel(n), percent(c.Ratio), percent(c.Lo), percent(c.Hi), what))
	}
	return lab.Sentence(fmt.Sprintf("Published (%s): decoders become %.0f %% slower when each error is wrapped where it is returned, even if none ever occurs. Here, inline against bare: ",
		reference.ErrorPaths.Setting(), 100*(reference.ErrorsInPlace.Value-1)), told, "; ", ".")
}

// where relates that to the size of the code.
func (t analysis) where() string {
	slow, not := map[size][]string{}, map[size][]string{}
	for _, n := range t.sizes() {
		c := t.Compared(name(gen.LayoutInline, n))
		code, ok := t.median(gen.LayoutInline, n, unitCode)
		if c == nil || !ok || t.cache == 0 {
			continue
		}
		fit := fits
		if code > t.cache {
			fit = outgrows
		}
		text := typesLabel(n) + " (" + quantity.Bytes(code) + ")"
		switch judge(c) {
		case yes, less:
			slow[fit] = append(slow[fit], text)
		case no:
			not[fit] = append(not[fit], text)
		}
	}
	cache := quantity.Bytes(t.cache)
	notOutgrown := strings.Join(not[outgrows], ", ")
	switch {
	case len(slow) == 0 && len(not[outgrows]) > 0:
		return fmt.Sprintf("Outgrowing the L1 instruction cache of %s is not enough to make a difference: with %s the decoders do, and inline is not proven slower.", cache, notOutgrown)
	case len(slow) == 0:
		return ""
	case len(slow[fits]) == 0 && len(not[outgrows]) == 0:
		return fmt.Sprintf("Inline is slower only where the decoders in use outgrow the L1 instruction cache of %s: with %s.", cache, strings.Join(slow[outgrows], ", "))
	case len(slow[fits]) == 0:
		return fmt.Sprintf("Inline is slower with %s, whose decoders outgrow the L1 instruction cache of %s; with %s they do too, and it is not.", strings.Join(slow[outgrows], ", "), cache, notOutgrown)
	}
	text := fmt.Sprintf("The L1 instruction cache of %s does not explain it alone: inline is slower also with %s, whose decoders fit", cache, strings.Join(slow[fits], ", "))
	if notOutgrown != "" {
		text += fmt.Sprintf(", and not slower with %s, whose do not", notOutgrown)
	}
	return text + "."
}

// code compares the sizes of the decoders.
func (t analysis) code() string {
	for _, n := range slices.Backward(t.sizes()) {
		bare, ok := t.median(gen.LayoutBare, n, unitCode)
		if !ok || bare == 0 {
			continue
		}
		var told []string
		for _, l := range layouts[1:] {
			if code, ok := t.median(l, n, unitCode); ok {
				told = append(told, fmt.Sprintf("%s %s (%.2f×)", l, quantity.Bytes(code), code/bare))
			}
		}
		return fmt.Sprintf("Code of the decoders of %s: bare %s, %s.", typesLabel(n), quantity.Bytes(bare), strings.Join(told, ", "))
	}
	return ""
}

// missing compares the misses.
func (t analysis) missing() string {
	var told []string
	for _, n := range t.sizes() {
		var each []string
		for _, l := range layouts {
			if m, ok := t.median(l, n, unitMisses); ok {
				each = append(each, fmt.Sprintf("%s %.1f", l, m))
			}
		}
		if len(each) > 0 {
			told = append(told, fmt.Sprintf("%s: %s", typesLabel(n), strings.Join(each, ", ")))
		}
	}
	if len(told) == 0 {
		return ""
	}
	text := fmt.Sprintf("L1 instruction misses of one decode, by %s. %s.", t.counter(), strings.Join(told, "; "))
	for _, n := range slices.Backward(t.sizes()) {
		code, ok1 := t.over(gen.LayoutInline, n, unitCode)
		misses, ok2 := t.over(gen.LayoutInline, n, unitMisses)
		if ok1 && ok2 {
			return text + fmt.Sprintf(" With %s inline has %.2f× the code of bare and %.2f× its misses.", typesLabel(n), code, misses)
		}
	}
	return text
}

// over is a layout's figure over that of bare.
func (t analysis) over(layout string, types int, unit string) (float64, bool) {
	a, ok := t.median(layout, types, unit)
	b, ok2 := t.median(gen.LayoutBare, types, unit)
	return a / b, ok && ok2 && b > 0
}

// choice says which layout the figures favour: one that is proven faster than
// bare somewhere and slower nowhere, or else bare.
func (t analysis) choice() string {
	best, bestMean := "", 0.0
	compared := 0
	var slower []string
	for _, l := range layouts[1:] {
		wins, losses, sum, count := 0, 0, 0.0, 0
		for _, n := range t.sizes() {
			c := t.Compared(name(l, n))
			if c == nil || c.Ratio <= 0 {
				continue
			}
			sum, count = sum+math.Log(c.Ratio), count+1
			switch c.Verdict {
			case "faster":
				wins++
			case "slower":
				losses++
			}
		}
		compared += count
		if losses > 0 {
			slower = append(slower, l)
		}
		if mean := sum / float64(max(1, count)); wins > 0 && losses == 0 && (best == "" || mean < bestMean) {
			best, bestMean = l, mean
		}
	}
	switch {
	case compared == 0:
		return ""
	case best != "":
		return fmt.Sprintf("These figures favour %s: it is proven faster than bare with some numbers of types and slower with none (%s on average).", best, percent(math.Exp(bestMean)))
	case len(slower) > 0:
		return fmt.Sprintf("These figures favour bare: no layout is proven faster with some numbers of types and slower with none; proven slower somewhere: %s.", strings.Join(slower, ", "))
	}
	return "These figures favour no layout: none is proven faster or slower than bare." + t.smallest()
}

// smallest names the layout with the least code.
func (t analysis) smallest() string {
	for _, n := range slices.Backward(t.sizes()) {
		least, code := "", math.Inf(1)
		for _, l := range layouts {
			if c, ok := t.median(l, n, unitCode); ok && c < code {
				least, code = l, c
			}
		}
		if least != "" {
			return fmt.Sprintf(" The least code is that of %s.", least)
		}
	}
	return ""
}

// counter is who counted misses, or "".
func (t analysis) counter() string {
	for i := range t.Series {
		s := &t.Series[i]
		if s.Unit != unitMisses || s.NotMeasured != "" {
			continue
		}
		for _, source := range []string{byCounter, byCachegrind} {
			if strings.HasSuffix(s.Label, source) {
				return source
			}
		}
	}
	return ""
}

func (t analysis) source() string {
	switch t.counter() {
	case byCounter:
		return "L1 instruction misses are counted by the processor (perf_event)."
	case byCachegrind:
		return "L1 instruction misses are Cachegrind's: it runs the program with a model of this machine's L1 instruction cache, which neither prefetches nor speculates. A processor hides part of these misses."
	}
	return ""
}

// leftOut says what the quick mode leaves out, which is known by its sizes.
func (t analysis) leftOut() string {
	all, had := sizes(lab.Full), t.sizes()
	if len(had) == 0 || slices.Contains(had, all[len(all)-1]) {
		return ""
	}
	return fmt.Sprintf("--quick leaves out decoders of %s, tries %d orders of the functions instead of %d, and has Cachegrind, where it is needed, count only for the largest number of types.",
		typesLabel(all[len(all)-1]), seeds(lab.Quick), seeds(lab.Normal))
}

// percent writes a ratio as what is added: "+10 %".
func percent(ratio float64) string {
	text := fmt.Sprintf("%+.1f %%", 100*(ratio-1))
	if text == "-0.0 %" {
		text = "+0.0 %"
	}
	return strings.Replace(text, "-", "−", 1)
}
