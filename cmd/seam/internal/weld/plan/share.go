package plan

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// A Range is a quantity of which only bounds are known.
type Range struct{ Lo, Hi float64 }

func exactly(v float64) Range { return Range{v, v} }

func (r Range) plus(x Range) Range { return Range{r.Lo + x.Lo, r.Hi + x.Hi} }

// of is the share of a whole.
func (r Range) of(whole Range) Range {
	if whole.Lo <= 0 || whole.Hi <= 0 {
		return Range{}
	}
	return Range{min(1, r.Lo/whole.Hi), min(1, r.Hi/whole.Lo)}
}

// String is a share in words: "0.8–1.1 %".
func (r Range) String() string {
	const least = 0.001
	if r.Hi < least {
		return "<0.1 %"
	}
	lo, hi := digits(r.Lo), digits(r.Hi)
	switch {
	case lo == hi:
		return hi + " %"
	case r.Lo < least:
		return "up to " + hi + " %"
	}
	return lo + "–" + hi + " %"
}

// digits is a share in per cent with two digits, which is more than is known.
func digits(v float64) string {
	if v >= 0.0995 {
		return fmt.Sprintf("%.0f", 100*v)
	}
	return fmt.Sprintf("%.1f", 100*v)
}

// What tracing adds to a call is measured where it does nothing else. In programs it was seen
// to cost between these parts of that.
const (
	traceLeast = 0.8
	traceMost  = 1.3
)

// untraced is how long the traced processes would have been on processors without being traced,
// in ns. Time in which they slept doesn't count. Certain is the way to C and back, and C as long
// as half of the calls take at least: the time on the wall, which is known too, has the machine's
// other work in it.
func untraced(f *calltrace.File) Range {
	ran, certain := 0.0, 0.0
	for _, p := range f.Processes {
		if p.CPUNS > 0 {
			ran += float64(p.CPUNS)
		} else {
			ran += float64(p.WallNS) // of an older trace, or one that ended at once
		}
	}
	for i := range f.Functions {
		x := alone(&f.Functions[i])
		certain += float64(x.Calls)*float64(x.P50NS)/2 + f.Functions[i].Crossings()
	}
	tracing := f.OverheadNS * float64(f.Calls())
	certain = min(certain, ran)
	return Range{max(certain, ran-traceMost*tracing), max(certain, ran-traceLeast*tracing)}
}

// What a leaf call saves besides the crossing, where it has a pointer among its arguments, in ns:
// cgo's check of it, and the allocation of what it points to if that is a variable.
const (
	checkNS    = 10.0
	allocateNS = 35.0
)

// besides is the most that a leaf's calls save besides the crossing.
func (o rule) besides(f cgofile.Function, seen *calltrace.Function) float64 {
	each := 0.0
	for _, p := range f.Params {
		if strings.HasPrefix(p, "*") || p == "unsafe.Pointer" {
			each += checkNS
			if !o.exports && !f.NoEscape {
				each += allocateNS
			}
		}
	}
	return each * float64(seen.Calls)
}

// bring writes into lines what they bring.
func (r *Result) bring() {
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if share := d.Gain.of(r.Program); d.Direct() && d.Gain.Hi > 0 && share.Hi > 0 {
			d.Comment += "; brings " + share.String()
		}
	}
}

// Shares of a program's time below which nobody notices what is saved, and below which few do.
const (
	worthIt   = 0.01
	worthWork = 0.05
)

// gained says what the plan's calls without a handshake would save.
func (r *Result) gained(head string, gain Range) string {
	kept := ""
	if r.Reused.Hi > 0 {
		kept, gain = " and kept blocks", gain.plus(r.Reused)
	}
	share := gain.of(r.Program)
	what := fmt.Sprintf("%s calls%s would save about %s", strings.ToLower(head), kept, quantity.Time(gain.Lo))
	if share.Hi > 0 {
		what += fmt.Sprintf(", %s of the traced program's processor time", share)
	}
	switch {
	case gain.Hi == 0 && r.count(Park) > 0:
		return "Threads are what there is to gain here."
	case gain.Hi == 0:
		return "Nothing to gain here: no function that was called can be a leaf or coro."
	case share.Hi > 0 && share.Hi < worthWork && r.count(Park) > 0:
		return "Threads are what there is to gain here: " + what + "."
	case share.Hi > 0 && share.Hi < worthIt:
		return "Nothing to gain here: " + what + "."
	case share.Hi > 0 && share.Hi < worthWork:
		return "Little to gain here: " + what + "."
	}
	return strings.ToUpper(what[:1]) + what[1:] + "."
}
