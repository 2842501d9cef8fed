package trace

import (
	"io"

	"github.com/google/pprof/profile"
)

// WriteProfile writes the trace for go tool pprof. Every C function stands on
// top of the Go stacks that call it, with three values: calls, time in C, and
// time that the crossing takes.
func (f *File) WriteProfile(w io.Writer) error { return f.profile().Write(w) }

func (f *File) profile() *profile.Profile {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{
			{Type: "calls", Unit: "count"},
			{Type: "time", Unit: "nanoseconds"},
			{Type: "crossing", Unit: "nanoseconds"},
		},
		DefaultSampleType: "time",
		PeriodType:        &profile.ValueType{Type: "calls", Unit: "count"},
		Period:            1,
		TimeNanos:         f.Time.UnixNano(),
		Comments:          []string{"made by seam trace; callers are estimated from a sample of the calls"},
	}
	for _, x := range f.Processes {
		p.DurationNanos += x.WallNS
	}
	exe := "program"
	if len(f.Processes) > 0 && f.Processes[0].Exe != "" {
		exe = f.Processes[0].Exe
	}
	// One mapping that needs no symbols: all names are known, and a test's
	// binary is gone.
	m := &profile.Mapping{
		ID: 1, Limit: 1 << 62, File: exe,
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
	}
	p.Mapping = []*profile.Mapping{m}
	b := profileBuilder{p: p, mapping: m, functions: map[Frame]*profile.Function{}, locations: map[Frame]*profile.Location{}}
	for i := range f.Functions {
		b.function(&f.Functions[i])
	}
	return p
}

type profileBuilder struct {
	p         *profile.Profile
	mapping   *profile.Mapping
	functions map[Frame]*profile.Function
	locations map[Frame]*profile.Location
}

// function adds the samples of one C function.
func (b *profileBuilder) function(f *Function) {
	if f.Calls == 0 {
		return
	}
	callers := f.Callers
	if len(callers) == 0 {
		callers = []Caller{{Calls: f.Calls, NS: f.TotalNS}}
	}
	// A caller's time holds the crossing.
	inC := make([]float64, len(callers))
	sum := 0.0
	for i, c := range callers {
		inC[i] = max(0, float64(c.NS)-f.CrossingNS*float64(c.Calls))
		sum += inC[i]
	}
	top := b.location(Frame{Func: "C." + f.Name, File: f.Package})
	for i, c := range callers {
		share := float64(c.Calls) / float64(f.Calls)
		if sum > 0 {
			share = inC[i] / sum
		}
		s := &profile.Sample{
			Location: []*profile.Location{top},
			Value:    []int64{int64(c.Calls), int64(share * float64(f.TotalNS)), int64(f.CrossingNS * float64(c.Calls))},
			Label:    map[string][]string{"package": {f.Package}},
		}
		for _, frame := range c.Stack {
			s.Location = append(s.Location, b.location(frame))
		}
		b.p.Sample = append(b.p.Sample, s)
	}
}

func (b *profileBuilder) location(at Frame) *profile.Location {
	if l := b.locations[at]; l != nil {
		return l
	}
	name := Frame{Func: at.Func, File: at.File}
	f := b.functions[name]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.p.Function) + 1), Name: at.Func, SystemName: at.Func, Filename: at.File}
		b.functions[name] = f
		b.p.Function = append(b.p.Function, f)
	}
	id := uint64(len(b.p.Location) + 1)
	l := &profile.Location{ID: id, Mapping: b.mapping, Address: id, Line: []profile.Line{{Function: f, Line: int64(at.Line)}}}
	b.locations[at] = l
	b.p.Location = append(b.p.Location, l)
	return l
}
