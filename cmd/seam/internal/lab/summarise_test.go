package lab

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// gathered makes a collector of two arms whose blocks differ by the given factors.
func gathered(control, other float64) *collector {
	b := newCollector(Experiment{Cases: func(Mode) []Case {
		return []Case{{Name: "base", Base: true, Setup: op1}, {Name: "other", Setup: op1}}
	}}, Quick)
	for round := range 6 {
		for block := range 8 {
			wobble := 1 + 0.001*float64((round*8+block)%5)
			for range 2 {
				for k, v := range map[armKey]float64{
					{"base", false}:  10,
					{"base", true}:   10 / control,
					{"other", false}: 10 * other * wobble,
				} {
					b.samples[k] = append(b.samples[k], result.Sample{Round: round, Block: block, N: 1, Value: v})
				}
			}
		}
	}
	return b
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name           string
		control, other float64
		want           string
	}{
		{"slower", 1, 1.5, "slower"},
		{"faster", 1, 0.5, "faster"},
		{"same", 1, 1.001, "same"},
		{"within what the control differs", 1.10, 1.05, "unproven"},
		{"within it, the control below 1", 1 / 1.10, 1.05, "unproven"},
		{"beyond what the control differs", 1.10, 1.5, "slower"},
	} {
		e, _ := gathered(tt.control, tt.other).summarise(1, false)
		if c := e.Compared("other"); c == nil || c.Verdict != tt.want || c.Blocks != 48 {
			t.Errorf("%s: %+v, want %s of 48 blocks", tt.name, c, tt.want)
		}
	}
}

func TestOutliersAreKept(t *testing.T) {
	var samples []result.Sample
	for i := range 20 {
		samples = append(samples, result.Sample{Value: 10 + 0.01*float64(i)})
	}
	samples = append(samples, result.Sample{Value: 1000})
	s := summarised(result.Series{}, samples, 1)
	if s.Outliers != 1 || len(s.Samples) != 21 || !s.Samples[20].Outlier {
		t.Errorf("%d outliers of %d samples, the last marked %v", s.Outliers, len(s.Samples), s.Samples[20].Outlier)
	}
}
