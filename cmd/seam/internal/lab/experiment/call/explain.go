package call

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

const unit = "ns/op"

// explain says what the figures mean. A sentence is left out where its figures are
// missing.
func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	figure := func(name string) lab.Part { return a.Figure(name, unit) }
	a.Headline(viaLeaf, unit, "a C call through leaf")
	a.Headline(viaCgo, unit, "a C call through cgo")
	a.Advise(lab.Advice{Name: viaLeaf, Base: viaCgo, Unit: unit,
		Faster: "Call C that returns within microseconds through package leaf, or weld the program: leaf against cgo ",
		Slower: "Stay with cgo: leaf against it ", Same: "Stay with cgo: leaf takes ",
	})
	a.Say(
		lab.Tell("A C call costs %s through cgo and %s through leaf; leaf against cgo: %s.", figure(viaCgo), figure(viaLeaf), a.Compare(viaLeaf, viaCgo, unit)),
		lab.Tell("Against a Go call that is not inlined (%s): %s.", figure(viaGo),
			a.Each(unit, viaGo, lab.Named{Name: viaLeaf, Words: "leaf"}, lab.Named{Name: viaCgo, Words: "cgo"})),
		lab.Tell("Against cgo with integers: %s.",
			a.Each(unit, viaCgo, lab.Named{Name: viaCgoPtr, Words: "cgo with a pointer that escapes"}, lab.Named{Name: viaNoescape, Words: "with noescape and nocallback"})),
		lab.Tell("A leaf call is two nested calls, into assembly and from there into C. Two nested Go calls take %s, a leaf call without arguments %s; against those: %s.",
			figure(partNested), figure(partSwitch), a.Compare(partSwitch, partNested, unit)),
	)
	parts := priceParts(func(name string) float64 { return a.Value(name, unit) })
	e.Charts = append(e.Charts, a.Bars(result.Chart{Title: "One call", Unit: unit,
		Caption: "Median and interval over all processes; the hollow mark is the published figure."},
		unit, viaGo, viaLeaf, viaCgo, viaNoescape, viaCgoPtr))
	if len(parts) > 0 {
		a.Note(lab.Tell("What a call is made of, in the chart, are differences of rows measured side by side, which overlap a little as the processor overlaps them. " +
			"A part below a nanosecond may be due to where a loop lies in memory. " +
			"entersyscall and exitsyscall are measured on system calls, where the kernel's work hides part of their cost. " +
			"The rest of cgo is what remains: counting the call, marking the thread as being in C, keeping the arguments alive."))
		e.Charts = append(e.Charts, stacks(parts))
	}
}

// A part is a step of a cgo call and its price.
type part struct {
	name string
	ns   float64
}

// priceParts takes the price of a cgo call apart; nil where a figure that it
// needs is missing or they contradict each other. A difference below zero is
// noise and counts as zero.
func priceParts(ns func(string) float64) []part {
	for _, name := range []string{viaCgo, partAsm, partSwitch, partStruct, partWrapper, partRaw, partSyscall} {
		if ns(name) == 0 {
			return nil
		}
	}
	parts := []part{
		{"call into assembly", ns(partAsm)},
		{"stack switch", ns(partSwitch) - ns(partAsm)},
		{"argument struct", ns(partStruct) - ns(partSwitch)},
		{"wrapper", ns(partWrapper) - ns(partStruct)},
		{"entersyscall + exitsyscall", ns(partSyscall) - ns(partRaw)},
	}
	sum := 0.0
	for i := range parts {
		parts[i].ns = max(0, parts[i].ns)
		sum += parts[i].ns
	}
	if sum > 1.2*ns(viaCgo) {
		return nil // the steps can't be those of this call
	}
	return append(parts, part{"the rest of cgo", max(0, ns(viaCgo)-sum)})
}

func stacks(parts []part) result.Chart {
	c := result.Chart{Kind: result.Stacked, Title: "What a call is made of", Unit: unit,
		Caption: "Differences between rows of the second group. leaf has the first three parts and none of the others."}
	stack := func(label string, parts []part) {
		s := result.Stack{Label: label}
		for _, p := range parts {
			s.Parts = append(s.Parts, result.Part{Label: p.name, Value: p.ns})
		}
		c.Stacks = append(c.Stacks, s)
	}
	stack("leaf", parts[:3])
	stack("cgo", parts)
	return c
}
