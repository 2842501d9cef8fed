package measured

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/google/pprof/profile"
)

// AddProfile adds what a CPU profile says about calls of C and hot functions.
func (f *Facts) AddProfile(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	p, err := profile.ParseData(data)
	if err != nil {
		return fmt.Errorf("%s is no profile: %w", name, err)
	}
	value := -1
	for i, t := range p.SampleType {
		if t.Type == "cpu" {
			value = i
		}
	}
	if value < 0 {
		return fmt.Errorf("%s is no profile of processor time: make one with go test -cpuprofile, or from /debug/pprof/profile", name)
	}
	total := int64(0)
	for _, s := range p.Sample {
		total += s.Value[value]
	}
	if total == 0 {
		return fmt.Errorf("%s has no samples", name)
	}
	f.Share, f.Hot = map[Site]float64{}, map[string]float64{}
	for _, s := range p.Sample {
		part := float64(s.Value[value]) / float64(total)
		stack := frames(s)
		if len(stack) > 0 {
			f.Hot[stack[0].name] += part
		}
		for i := 0; i+1 < len(stack); i++ {
			if pkg, c, ok := strings.Cut(stack[i].name, "._Cfunc_"); ok {
				if i+2 < len(stack) && strings.Contains(stack[i+1].name, ".func") && stack[i+1].line == stack[i+2].line {
					i++ // the literal that cgo makes of a call
				}
				f.Share[At(pkg, c, stack[i+1].file, stack[i+1].line)] += part
				break
			}
		}
	}
	f.Key += fmt.Sprintf(" profile %x", sha256.Sum256(data))
	return nil
}

type frame struct {
	name, file string
	line       int
}

// frames are the functions of a sample, the innermost first; an inlined one counts for itself.
func frames(s *profile.Sample) (list []frame) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function != nil {
				list = append(list, frame{line.Function.Name, path.Base(line.Function.Filename), int(line.Line)})
			}
		}
	}
	return list
}
