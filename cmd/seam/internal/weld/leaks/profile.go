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
	exe := ""
	if len(f.Processes) > 0 {
		exe = f.Processes[0].Exe
	}
	b := recording.NewProfileBuilder(exe)
	p := b.Profile
	p.SampleType = []*profile.ValueType{
		{Type: "alloc_objects", Unit: "count"},
		{Type: "alloc_space", Unit: "bytes"},
		{Type: "inuse_objects", Unit: "count"},
		{Type: "inuse_space", Unit: "bytes"},
	}
	p.DefaultSampleType = "inuse_space"
	p.PeriodType = &profile.ValueType{Type: "space", Unit: "bytes"}
	p.Period = 1
	p.TimeNanos = f.Time.UnixNano()
	p.Comments = []string{"made by seam leaks; inuse is what was never freed"}
	for _, list := range [][]Leak{f.Leaks, f.freed} {
		for _, l := range list {
			var label map[string][]string
			if l.Class != "" {
				label = map[string][]string{"class": {string(l.Class)}}
			}
			b.Add(recording.Frame{Func: l.What, File: "C"}, l.Stack, label, value(l.Made), value(l.MadeBytes), value(l.Blocks), value(l.Bytes))
		}
	}
	return p
}

func value(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
