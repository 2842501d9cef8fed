package prof

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/google/pprof/profile"
)

// Load reads a CPU profile in pprof's format, by seam prof or by others. It has the one type
// [CPU].
func Load(name string) (*Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no profile of pprof's: %w", name, err)
	}
	of := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == CPU.Name && t.Unit == CPU.Unit })
	if of < 0 {
		return nil, fmt.Errorf("%s: %w", name, errors.New("it is no CPU profile"))
	}
	out := New(CPU)
	out.Start, out.Duration, out.Period = time.Unix(0, p.TimeNanos), time.Duration(p.DurationNanos), p.Period
	for _, s := range p.Sample {
		var stack []Frame
		for _, l := range s.Location {
			for _, line := range l.Line {
				if f := line.Function; f != nil {
					stack = append(stack, Frame{f.Name, f.Filename, int(line.Line), kindOf(f.Name, f.Filename)})
				}
			}
		}
		out.Add(stack, s.Label, s.Value[of])
	}
	return out, nil
}
