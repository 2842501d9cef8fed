package call

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

const unit = "ns/op"

// explain computes what the figures mean. Every sentence is left out where its
// figures are missing.
func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	ns := func(name string) float64 { return a.Value(name, unit) }
	parts := priceParts(ns)
	a.Say(prices(e, ns)...)
	a.Say(largestPart(parts, ns(viaCgo)))
	a.Note(againstPublished(ns))
	a.Note(order(e)...)
	a.Note(placement(ns), remainder(parts))
	e.Charts = append(e.Charts, a.Bars(result.Chart{Title: "One call", Unit: unit,
		Caption: "Median and 95 % interval over all processes; the hollow mark is the published figure."},
		unit, viaGo, viaLeaf, viaCgo, viaNoescape, viaCgoPtr))
	if len(parts) > 0 {
		e.Charts = append(e.Charts, stacks(parts))
	}
}

// over returns how many times a Go call something costs: from the pairs that
// the table shows, where there are any.
func over(e *result.Experiment, name string, ns func(string) float64) float64 {
	if c := e.Compared(name); c != nil && c.Ratio > 0 {
		return c.Ratio
	}
	return ns(name) / ns(viaGo)
}

// prices compares the three ways.
func prices(e *result.Experiment, ns func(string) float64) []string {
	goCall, cgo, leaf := ns(viaGo), ns(viaCgo), ns(viaLeaf)
	if goCall == 0 || cgo == 0 || leaf == 0 {
		return nil
	}
	cgoTimes, leafTimes := over(e, viaCgo, ns), over(e, viaLeaf, ns)
	against := quantity.Number(cgoTimes/leafTimes) + " times less"
	if leafTimes >= cgoTimes {
		against = "no less"
	}
	list := []string{fmt.Sprintf("A C call costs %s through cgo and %s through leaf: %s. A Go call that is not inlined costs %s, so leaf costs %s Go calls and cgo %s.",
		quantity.Time(cgo), quantity.Time(leaf), against, quantity.Time(goCall), quantity.Number(leafTimes), quantity.Number(cgoTimes))}
	if nested := ns(partNested); nested > 0 && ns(partSwitch) > 0 {
		list = append(list, fmt.Sprintf("Two nested Go calls cost %s. A leaf call is two nested calls too, into assembly and from there into C: %s with no arguments. Only inlining could make it cheaper.",
			quantity.Time(nested), quantity.Time(ns(partSwitch))))
	}
	if ptr := ns(viaCgoPtr); ptr > 0 {
		list = append(list, fmt.Sprintf("A million calls a second take %.2g %% of a core through cgo, %.2g %% with a pointer that escapes, %.2g %% through leaf.",
			cgo/10, ptr/10, leaf/10))
	}
	return list
}

// placement warns where the yardstick itself has two lengths: two loops that
// call an empty or nearly empty Go function differ only in where they are in
// memory.
func placement(ns func(string) float64) string {
	a, b := ns(viaGo), ns(partGo)
	if a == 0 || b == 0 || max(a, b) < 1.05*min(a, b) {
		return ""
	}
	return fmt.Sprintf("A Go call takes %s in one loop and %s in another that does no more; they differ only in where the linker has put them. Read ratios to a Go call with that in mind.",
		quantity.Time(a), quantity.Time(b))
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

func largestPart(parts []part, cgo float64) string {
	if len(parts) == 0 || cgo == 0 {
		return ""
	}
	p := slices.MaxFunc(parts, func(a, b part) int { return cmp.Compare(a.ns, b.ns) })
	return fmt.Sprintf("The largest part of a cgo call is %s: %s of %s (%.0f %%).", p.name, quantity.Time(p.ns), quantity.Time(cgo), 100*p.ns/cgo)
}

// remainder says what the last part holds and how far to trust the others.
func remainder(parts []part) string {
	if len(parts) == 0 {
		return ""
	}
	return "The parts are differences of rows measured side by side, so they overlap a little as the processor overlaps them. " +
		"A part below a nanosecond may be due to where a loop lies in memory, not to what it does. " +
		"entersyscall and exitsyscall are measured on system calls, where the kernel's work hides part of their cost. " +
		"The rest of cgo is what remains: counting the call, marking the thread as being in C, keeping the arguments alive."
}

// againstPublished says where today's ratio differs from the published one and why.
func againstPublished(ns func(string) float64) string {
	goCall, cgo := ns(viaGo), ns(viaCgo)
	if goCall == 0 || cgo == 0 {
		return ""
	}
	publishedGo, publishedCgo := reference.GoCall.Value, reference.CgoCall.Value
	return fmt.Sprintf("The published ratio of cgo to Go (%s) is %.0f, here it is %.0f. The Go function there took %s, about a clock cycle, so it was inlined and no call was made; ours is kept from being inlined. The cgo call there took %s on an older processor, %.1f times what it takes here.",
		reference.CgoCost.Setting(), publishedCgo/publishedGo, cgo/goCall, quantity.Time(publishedGo), quantity.Time(publishedCgo), publishedCgo/cgo)
}

// order notes where a form that should be cheaper is proven not to be.
func order(e *result.Experiment) []string {
	expected := []struct{ cheap, dear, why string }{
		{viaGo, viaLeaf, "leaf makes a Go call and a C call"},
		{viaLeaf, viaCgo, "cgo does all that leaf does and informs the scheduler too"},
		{viaNoescape, viaCgoPtr, "an argument that escapes is allocated on every call"},
	}
	var list []string
	for _, x := range expected {
		cheap, dear := e.Find(x.cheap, unit), e.Find(x.dear, unit)
		if cheap != nil && dear != nil && cheap.Lo > dear.Hi {
			list = append(list, fmt.Sprintf("Unexpected order: %s (%s) costs more than %s (%s), though %s. If leaf goes through cgo (see the machine line) that explains it; otherwise distrust this run.",
				cheap.Label, quantity.Time(cheap.Median), dear.Label, quantity.Time(dear.Median), x.why))
		}
	}
	return list
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
