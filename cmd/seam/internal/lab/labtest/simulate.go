package labtest

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Noisy is a run of an experiment as another machine might have made it: every case has
// another speed than it was recorded with, and another noise, from that of a quiet machine
// to one on which a process in five is disturbed; some were not measured at all.
func Noisy(recorded *result.Experiment, seed uint64) *result.Experiment {
	rnd := rand.New(rand.NewPCG(seed, 0x5eed))
	e := *recorded
	e.Series = nil
	for _, s := range recorded.Series {
		if s.NotMeasured == "" && rnd.IntN(25) == 0 {
			s = result.Series{Name: s.Name, Unit: s.Unit, Label: s.Label, Group: s.Group, NotMeasured: "the simulation left it out"}
		}
		e.Series = append(e.Series, noisy(rnd, s))
		if s.Unit == "ns/op" && s.NotMeasured == "" {
			s.Name += "#control"
			e.Series = append(e.Series, noisy(rnd, s))
		}
	}
	return &e
}

func noisy(rnd *rand.Rand, s result.Series) result.Series {
	speed := math.Exp(0.7 * rnd.NormFloat64())
	between := []float64{0.002, 0.01, 0.05, 0.4}[rnd.IntN(4)]
	inside := []float64{0.001, 0.01, 0.1}[rnd.IntN(3)]
	samples := make([]result.Sample, len(s.Samples))
	process := map[int]float64{}
	for i, x := range s.Samples {
		of, known := process[x.Round]
		if !known {
			of = speed * math.Exp(between*rnd.NormFloat64())
			if between > 0.1 && rnd.IntN(5) == 0 {
				of *= 1 + 20*rnd.Float64()
			}
			process[x.Round] = of
		}
		x.Value *= of * math.Exp(inside*rnd.NormFloat64())
		if strings.HasSuffix(s.Unit, "%") {
			x.Value = min(x.Value, 100)
		}
		samples[i] = x
	}
	s.Samples = samples
	return s
}
