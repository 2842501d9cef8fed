package recording

import (
	"time"

	"github.com/google/pprof/profile"
)

// A ProfileBuilder makes a profile for go tool pprof of stacks whose names are
// known.
type ProfileBuilder struct {
	Profile *profile.Profile

	mapping   *profile.Mapping
	functions map[Frame]*profile.Function
	locations map[Frame]*profile.Location
}

// NewProfileBuilder begins a profile of what was recorded from a time on. The period
// is of the first type, unless said otherwise.
func NewProfileBuilder(comment string, from time.Time, types ...*profile.ValueType) *ProfileBuilder {
	// One mapping that needs no symbols: all names are known, and a test's
	// binary is gone.
	m := &profile.Mapping{
		ID: 1, Limit: 1 << 62, File: "program",
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
	}
	return &ProfileBuilder{
		Profile: &profile.Profile{
			SampleType: types, PeriodType: types[0], Period: 1,
			TimeNanos: from.UnixNano(), Comments: []string{comment}, Mapping: []*profile.Mapping{m},
		},
		mapping:   m,
		functions: map[Frame]*profile.Function{},
		locations: map[Frame]*profile.Location{},
	}
}

// Program names a program that was recorded; the first gives the profile its name.
func (b *ProfileBuilder) Program(exe string) {
	if b.mapping.File == "program" && exe != "" {
		b.mapping.File = exe
	}
}

// location is the profile's location of a frame.
func (b *ProfileBuilder) location(at Frame) *profile.Location {
	if l := b.locations[at]; l != nil {
		return l
	}
	name := Frame{Func: at.Func, File: at.File}
	f := b.functions[name]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.Profile.Function) + 1), Name: at.Func, SystemName: at.Func, Filename: at.File}
		b.functions[name] = f
		b.Profile.Function = append(b.Profile.Function, f)
	}
	id := uint64(len(b.Profile.Location) + 1)
	l := &profile.Location{ID: id, Mapping: b.mapping, Address: id, Line: []profile.Line{{Function: f, Line: int64(at.Line)}}}
	b.locations[at] = l
	b.Profile.Location = append(b.Profile.Location, l)
	return l
}

// Add adds a sample: what stands on top of a stack, and its values.
func (b *ProfileBuilder) Add(top Frame, stack []Frame, label map[string][]string, values ...int64) {
	s := &profile.Sample{Location: []*profile.Location{b.location(top)}, Value: values, Label: label}
	for _, frame := range stack {
		s.Location = append(s.Location, b.location(frame))
	}
	b.Profile.Sample = append(b.Profile.Sample, s)
}
