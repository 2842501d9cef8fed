package grid

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// model is a machine on which C costs call ns and step ns a step, Go goCall and
// goStep. Every timing is off by a random share, and one in spikes is three
// times too long for one of both.
type model struct {
	call, step, goCall, goStep float64
	noise, spikes              float64
}

func (m model) ratio(r *rand.Rand) ratioFunc {
	return func(count int64) (float64, error) {
		n := float64(count)
		v := (m.call + m.step*n) / (m.goCall + m.goStep*n)
		v *= math.Exp(m.noise * r.NormFloat64())
		switch p := r.Float64(); {
		case p < m.spikes/2:
			v *= 3
		case p < m.spikes:
			v /= 3
		}
		return v, nil
	}
}

func (m model) crossing() float64 { return (m.call - m.goCall) / (m.goStep - m.step) }

func TestSearchFindsTheCrossing(t *testing.T) {
	for _, c := range []struct {
		name string
		model
		within float64
	}{
		{"free C, no noise", model{call: 37, goCall: 2, goStep: 0.25}, 0.03},
		{"free C, small noise", model{call: 37, goCall: 2, goStep: 0.25, noise: 0.01}, 0.06},
		{"free C, much noise and spikes", model{call: 37, goCall: 2, goStep: 0.25, noise: 0.04, spikes: 0.05}, 0.25},
		{"C twice as fast", model{call: 37, step: 0.125, goCall: 2, goStep: 0.25, noise: 0.005}, 0.08},
		{"cheap call, crossing between 5 and 6", model{call: 3.4, goCall: 2, goStep: 0.25, noise: 0.005}, 0.10},
		{"crossing between 1 and 2", model{call: 2.3, goCall: 2, goStep: 0.2}, 0.10},
		{"dear call, crossing near the high end", model{call: 200_000, goCall: 2, goStep: 0.25, noise: 0.005}, 0.06},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(200) {
				got, err := breakEvenSearch.find(c.ratio(rand.New(rand.NewPCG(seed, 1))))
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				want := c.crossing()
				if off := apart(got.at, want) - 1; off > c.within {
					t.Errorf("seed %d: crossing at %.2f, want %.2f within %v (off by %.3f)", seed, got.at, want, c.within, off)
				}
				if got.at < float64(got.lo) || got.at > float64(got.hi) {
					t.Errorf("seed %d: crossing %.2f outside of its bracket %d to %d", seed, got.at, got.lo, got.hi)
				}
			}
		})
	}
}

func TestSearchGivesUp(t *testing.T) {
	for _, c := range []struct {
		name string
		model
		want error
	}{
		{"same speed", model{call: 37, step: 2, goCall: 2, goStep: 2, noise: 0.003}, errNone},
		{"C 1 % faster, less than the margin", model{call: 37, step: 1.98, goCall: 2, goStep: 2, noise: 0.001}, errNone},
		{"same speed, a noisy machine", model{call: 37, step: 2, goCall: 2, goStep: 2, noise: 0.015}, errNone},
		{"C slower", model{call: 37, step: 3, goCall: 2, goStep: 2, noise: 0.05}, errNone},
		{"C faster from the start", model{call: 1, step: 1, goCall: 3, goStep: 3, noise: 0.05}, errAlways},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(200) {
				got, err := breakEvenSearch.find(c.ratio(rand.New(rand.NewPCG(seed, 2))))
				if !errors.Is(err, c.want) {
					t.Fatalf("seed %d: found %+v, error %v, want error %v", seed, got, err, c.want)
				}
			}
		})
	}
}

// Ends that hold, and between them a timing that is never seen again when it is
// repeated: the search must end, and must not make up a figure.
func TestSearchStopsAtContradictions(t *testing.T) {
	visits := map[int64]int{}
	calls := 0
	got, err := breakEvenSearch.find(func(count int64) (float64, error) {
		calls++
		visits[count]++
		switch {
		case count == breakEvenSearch.low:
			return 10, nil
		case count == breakEvenSearch.high, visits[count]%3 != 1:
			return 0.1, nil
		}
		return 10, nil
	})
	if !errors.Is(err, errUnsteady) {
		t.Errorf("found %+v, error %v, want error %v", got, err, errUnsteady)
	}
	if calls > 500 {
		t.Errorf("%d timings", calls)
	}
}

func TestSearchRecoversFromOneWrongTurn(t *testing.T) {
	m := model{call: 37, goCall: 2, goStep: 0.25}
	for wrong := 7; wrong < 16; wrong++ { // the first six confirm the ends
		t.Run(fmt.Sprint(wrong), func(t *testing.T) {
			calls := 0
			truth := m.ratio(rand.New(rand.NewPCG(1, 1)))
			got, err := breakEvenSearch.find(func(count int64) (float64, error) {
				r, err := truth(count)
				if calls++; calls == wrong {
					r = 1 / r
				}
				return r, err
			})
			if err != nil {
				t.Fatal(err)
			}
			if off := apart(got.at, m.crossing()) - 1; off > 0.05 {
				t.Errorf("crossing at %.1f, want %.1f", got.at, m.crossing())
			}
		})
	}
}

func TestSearchReturnsErrors(t *testing.T) {
	broken := errors.New("no clock")
	for fail := 1; fail < 12; fail++ {
		calls := 0
		truth := model{call: 37, goCall: 2, goStep: 0.25}.ratio(rand.New(rand.NewPCG(1, 1)))
		_, err := breakEvenSearch.find(func(count int64) (float64, error) {
			if calls++; calls == fail {
				return 0, broken
			}
			return truth(count)
		})
		if !errors.Is(err, broken) {
			t.Errorf("failure at timing %d: error %v, want %v", fail, err, broken)
		}
	}
}

// apart returns how many times the larger of two positive numbers is the smaller.
func apart(a, b float64) float64 { return max(a/b, b/a) }
