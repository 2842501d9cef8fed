package calltrace

import (
	"io"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// WriteProfile writes the trace for go tool pprof. Every C function stands on
// top of the Go stacks that call it, with three values: calls, time in C, and
// time that the crossing takes.
func (f *File) WriteProfile(w io.Writer) error { return f.profile().Write(w) }

func (f *File) profile() *profile.Profile {
	b := recording.NewProfileBuilder("made by seam trace; callers are estimated from a sample of the calls", f.Time,
		&profile.ValueType{Type: "calls", Unit: "count"},
		&profile.ValueType{Type: "time", Unit: "nanoseconds"},
		&profile.ValueType{Type: "crossing", Unit: "nanoseconds"},
	)
	b.Profile.DefaultSampleType = "time"
	for _, x := range f.Processes {
		b.Program(x.Exe)
		b.Profile.DurationNanos += x.WallNS
	}
	for i := range f.Functions {
		f.Functions[i].samples(b)
	}
	return b.Profile
}

func (f *Function) samples(b *recording.ProfileBuilder) {
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
	top := Frame{Func: "C." + f.Name, File: f.Package}
	for i, c := range callers {
		share := float64(c.Calls) / float64(f.Calls)
		if sum > 0 {
			share = inC[i] / sum
		}
		b.Add(top, c.Stack, map[string][]string{"package": {f.Package}},
			int64(c.Calls), int64(share*float64(f.TotalNS)), int64(f.CrossingNS*float64(c.Calls)))
	}
}
