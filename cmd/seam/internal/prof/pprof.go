package prof

import (
	"io"

	"github.com/google/pprof/profile"
)

// WritePprof writes the profile for go tool pprof and others. All names are in it.
func (p *Profile) WritePprof(to io.Writer) error {
	// One mapping that needs no symbols: pprof would look them up again and find fewer.
	m := &profile.Mapping{
		ID: 1, Limit: 1 << 62, File: "program",
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
	}
	if p.Program != "" {
		m.File = p.Program
	}
	out := &profile.Profile{
		TimeNanos: p.Start.UnixNano(), DurationNanos: int64(p.Duration), Mapping: []*profile.Mapping{m},
		PeriodType: &profile.ValueType{Type: CPU.Name, Unit: CPU.Unit}, Period: p.Period, DefaultSampleType: p.Types[0].Name,
		Comments: []string{"seam prof"},
	}
	if p.Types[0] != CPU { // as Go's own heap profile
		out.PeriodType = &profile.ValueType{Type: "space", Unit: "bytes"}
		out.Comments[0] = "seam heap"
	}
	for _, t := range p.Types {
		out.SampleType = append(out.SampleType, &profile.ValueType{Type: t.Name, Unit: t.Unit})
	}
	functions := map[[2]string]*profile.Function{}
	for i, frame := range p.Frames {
		name := [2]string{frame.Func, frame.File}
		f := functions[name]
		if f == nil {
			f = &profile.Function{ID: uint64(len(functions) + 1), Name: frame.Func, SystemName: frame.Func, Filename: frame.File}
			functions[name] = f
			out.Function = append(out.Function, f)
		}
		id := uint64(i + 1)
		out.Location = append(out.Location, &profile.Location{ID: id, Mapping: m, Address: id, Line: []profile.Line{{Function: f, Line: int64(frame.Line)}}})
	}
	for _, s := range p.Stacks {
		sample := &profile.Sample{Value: s.Values, Label: s.Labels}
		for _, n := range s.Frames {
			sample.Location = append(sample.Location, out.Location[n])
		}
		out.Sample = append(out.Sample, sample)
	}
	if err := out.CheckValid(); err != nil {
		return err
	}
	return out.Write(to)
}
