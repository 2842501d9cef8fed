package explain

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// The lab's series that have the prices of a call's parts. Their names are fixed,
// see package call.
const (
	labCgo      = "Call/via=cgo"
	labCgoPtr   = "Call/via=cgo-ptr"
	labNoescape = "Call/via=cgo-noescape"
	labLeaf     = "Call/via=leaf"
	labSwitch   = "Call/part=switch"
	labStruct   = "Call/part=struct"
	labWrapper  = "Call/part=wrapper"
	labRaw      = "Call/part=rawsyscall"
	labSyscall  = "Call/part=syscall"
)

// LabCommand makes the figures.
const LabCommand = "seam lab --json seam.lab.json"

const (
	notMeasured = "not measured"
	noise       = "within noise"
)

// prices are what the steps of a call cost, according to a run of the lab.
type prices struct{ run *result.Run }

func (p prices) series(name string) *result.Series {
	if p.run == nil {
		return nil
	}
	for i := range p.run.Experiments {
		if s := p.run.Experiments[i].Find(name, "ns/op"); s != nil {
			return s
		}
	}
	return nil
}

// complete reports whether there is a price for all steps.
func (p prices) complete() bool {
	for _, name := range []string{labCgo, labCgoPtr, labNoescape, labSwitch, labStruct, labWrapper, labRaw, labSyscall} {
		if p.series(name) == nil {
			return false
		}
	}
	return true
}

// whole is the price of a series, with its interval.
func (p prices) whole(name string) string {
	s := p.series(name)
	if s == nil {
		return notMeasured
	}
	text := quantity.Time(s.Median)
	if i := quantity.Interval(s.Lo, s.Hi, "ns"); i != "" {
		text += " (" + i + ")"
	}
	return text
}

// step is the price of what one series has and another lacks; that of the whole
// series if there is no other.
func (p prices) step(name, without string) string {
	a, b := p.series(name), p.series(without)
	switch {
	case a != nil && without == "":
		return quantity.Time(a.Median)
	case a == nil || b == nil:
		return notMeasured
	case a.Median <= b.Median:
		return noise
	case a.Lo <= b.Hi: // the intervals overlap
		return "≈ " + quantity.Time(a.Median-b.Median) + ", " + noise
	}
	return quantity.Time(a.Median - b.Median)
}

// rest is what remains of a whole cgo call after its steps.
func (p prices) rest() string {
	var ns [7]float64
	for i, name := range []string{labCgo, labSwitch, labStruct, labWrapper, labRaw, labSyscall} {
		s := p.series(name)
		if s == nil {
			return notMeasured
		}
		ns[i] = s.Median
	}
	known := ns[1] + max(0, ns[2]-ns[1]) + max(0, ns[3]-ns[2]) + max(0, ns[5]-ns[4])
	if known >= ns[0] {
		return noise
	}
	return quantity.Time(ns[0] - known)
}

func (p prices) origin(name string) string {
	if p.run == nil {
		return "No figures: no run of the lab was found. Make one with: " + LabCommand
	}
	return fmt.Sprintf("Figures: %s, made %s on %s with %s, for calls of a function that adds two integers; the steps are differences between two of its rows. The median's interval is in brackets.",
		quantity.Printable(name), p.run.Started.UTC().Format("2 January 2006"), quantity.Printable(p.run.Machine.CPU), quantity.Printable(p.run.Machine.Go))
}
