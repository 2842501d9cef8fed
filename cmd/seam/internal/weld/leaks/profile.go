package leaks

import (
	"io"
	"math"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// WriteProfile writes the blocks for go tool pprof as Go's own heap profiles
// are: what was allocated, and what of it was never freed.
func (f *File) WriteProfile(w io.Writer) error { return f.profile().Write(w) }

func (f *File) profile() *profile.Profile {
	b := recording.NewProfileBuilder("made by seam leaks; inuse is what was never freed", f.Time,
		&profile.ValueType{Type: "alloc_objects", Unit: "count"},
		&profile.ValueType{Type: "alloc_space", Unit: "bytes"},
		&profile.ValueType{Type: "inuse_objects", Unit: "count"},
		&profile.ValueType{Type: "inuse_space", Unit: "bytes"},
	)
	b.Profile.DefaultSampleType = "inuse_space"
	b.Profile.PeriodType = &profile.ValueType{Type: "space", Unit: "bytes"}
	for _, x := range f.Processes {
		b.Program(x.Exe)
	}
	for _, list := range [][]Leak{f.Leaks, f.freed} {
		for _, l := range list {
			var label map[string][]string
			if l.Class != "" {
				label = map[string][]string{"class": {string(l.Class)}}
			}
			b.Add(recording.Frame{Func: l.What, File: "C"}, l.Stack, label, value(l.Made), value(l.MadeBytes), value(l.Blocks), value(l.Bytes))
		}
	}
	return b.Profile
}

func value(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
