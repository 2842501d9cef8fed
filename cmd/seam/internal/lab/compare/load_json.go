package compare

import (
	"io"
	"math"
	"strconv"

	"golang.org/x/perf/benchunit"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// readJSON reads a run of the lab.
func (f *File) readJSON(r io.Reader) error {
	run, err := result.Decode(r)
	if err != nil {
		return err
	}
	m := run.Machine
	for _, x := range []Fact{
		{"cpu", m.CPU},
		{"cores", number(m.Cores)},
		{"virtual machine", m.Virtual},
		{"frequency governor", m.Scaling},
		{"goos", m.GOOS},
		{"goarch", m.GOARCH},
		{"kernel", m.Kernel},
		{"go", m.Go},
		{"gomaxprocs", number(m.GOMAXPROCS)},
		{"commit", run.Commit},
		{"seam", run.Seam},
		{"leaf", run.Leaf},
		{"mode", run.Mode},
	} {
		if x.Value != "" {
			f.Facts = append(f.Facts, Fact{x.Name, printable(x.Value)})
		}
	}
	if run.Interrupted {
		f.Warnings = append(f.Warnings, "the run was interrupted; it holds what was finished")
	}
	for i := range run.Experiments {
		e := &run.Experiments[i]
		for j := range e.Series {
			f.addSeries(e.Name, &e.Series[j])
		}
	}
	return nil
}

func (f *File) addSeries(experiment string, s *result.Series) {
	if s.NotMeasured != "" {
		f.notMeasured[s.Name] = printable(s.NotMeasured)
		return
	}
	samples := s.Samples
	if len(samples) == 0 { // a file that was made smaller
		samples = []result.Sample{{Value: s.Median}}
	}
	for _, x := range samples {
		value, unit := benchunit.Tidy(x.Value, s.Unit)
		if math.IsInf(value, 0) {
			f.warn("%s: %v %s is too large", s.Name, x.Value, s.Unit)
			continue
		}
		f.add(experiment, key{s.Name, unit}, value, x.Round)
	}
}

// number leaves out what is not known.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
