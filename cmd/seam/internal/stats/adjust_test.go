package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A guest shares the core now and then. It slows each benchmark down by a factor of its
// own, in the processes that it happens to run beside.
type guest struct {
	busy  float64 // the share of processes
	speed float64 // what everything takes besides, as a logarithm
}

// run measures a benchmark in 20 processes. beside[p] is how much of process p the guest
// was there; factor is what it costs, and own how far processes are apart for other reasons.
func (g guest) run(rnd *rand.Rand, beside []float64, factor, truth, own float64) Sample {
	var s Sample
	for p, there := range beside {
		v := truth * math.Exp(g.speed+there*math.Log(factor)+own*rnd.NormFloat64())
		for range 3 {
			s.Values = append(s.Values, v*math.Exp(0.005*rnd.NormFloat64()))
			s.Cluster = append(s.Cluster, p)
		}
	}
	return s
}

// processes draws how much of each the guest is there: all, nothing or a part.
func (g guest) processes(rnd *rand.Rand) []float64 {
	list := make([]float64, 20)
	for p := range list {
		switch {
		case rnd.IntN(5) == 0:
			list[p] = rnd.Float64()
		case rnd.Float64() < g.busy:
			list[p] = 1
		}
	}
	return list
}

// guests makes a row and four bases in two runs between which the guest's habits changed.
func guests(rnd *rand.Rand, factor, truth, own float64) (a, b Sample, bases []Base) {
	old, new := guest{busy: 0.2 + 0.6*rnd.Float64()}, guest{busy: 0.2 + 0.6*rnd.Float64()}
	pa, pb := old.processes(rnd), new.processes(rnd)
	for i, f := range []float64{1.4, 1.5, 1.3, 1.55} {
		bases = append(bases, Base{Pair{old.run(rnd, pa, f, 1, own), new.run(rnd, pb, f, 1, own)}, i < 2})
	}
	return old.run(rnd, pa, factor, 1, own), new.run(rnd, pb, factor, truth, own), bases
}

// driftOf is what bases tell of the machine.
func driftOf(bases []Base) Drift {
	pairs := make([]Pair, len(bases))
	for i, b := range bases {
		pairs[i] = b.Pair
	}
	d, _ := DriftOf(pairs)
	return d
}

func TestAGuestIsSeldomTakenForTheProgram(t *testing.T) {
	for _, factor := range []float64{1, 1.1, 1.3, 1.6} {
		for _, own := range []float64{0.01, 0.04} {
			t.Run(fmt.Sprintf("factor %v, processes %v apart", factor, own), func(t *testing.T) {
				t.Parallel()
				rnd := newRand(8)
				const runs = 100
				wrong, adjusted := 0, 0
				for i := range runs {
					a, b, bases := guests(rnd, factor, 1, own)
					c, _, is := Judge{Margin: 0.02, Drift: driftOf(bases), Rows: 1, Seed: uint64(i)}.Beside(a, b, Time, bases)
					if c.Verdict == Faster || c.Verdict == Slower {
						wrong++
					}
					if is {
						adjusted++
					}
				}
				t.Logf("%d of %d called different, %d adjusted", wrong, runs, adjusted)
				if wrong > runs/20 {
					t.Errorf("%d of %d equal runs called different, want at most 5 %%", wrong, runs)
				}
				if adjusted < runs/2 && factor > 1.1 {
					t.Errorf("%d of %d adjusted", adjusted, runs)
				}
			})
		}
	}
}

func TestSlowdownIsFoundBesideAGuest(t *testing.T) {
	rnd := newRand(9)
	const runs = 100
	plain, found := 0, 0
	for i := range runs {
		a, b, bases := guests(rnd, 1.45, 1.1, 0.015)
		j := Judge{Margin: 0.02, Drift: driftOf(bases), Rows: 50, Seed: uint64(i)}
		if c, _ := j.Compare(a, b, Time); c.Verdict == Slower {
			plain++
		}
		if c, _, _ := j.Beside(a, b, Time, bases); c.Verdict == Slower {
			found++
		}
	}
	t.Logf("%d of %d found beside the bases, %d without", found, runs, plain)
	if found < runs*9/10 || plain > runs/2 {
		t.Errorf("%d of %d slowdowns of 10 %% found, want 90; %d without the bases, want a noise that hides most", found, runs, plain)
	}
}

// The noise models in which nothing is shared by row and base.
func TestEqualRunsBesideBasesAreSeldomCalledDifferent(t *testing.T) {
	for _, n := range noises {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			rnd := newRand(10)
			run := func() Sample { return unpaired(rnd, 20, 3, 1, n.bias, n.time) }
			wrong := 0
			for i := range 60 {
				bases := []Base{{Pair{run(), run()}, true}, {Pair{run(), run()}, true}}
				c, _, _ := Judge{Margin: 0.02, Drift: driftOf(bases), Rows: 1, Seed: uint64(i)}.Beside(run(), run(), Time, bases)
				if c.Verdict == Faster || c.Verdict == Slower {
					wrong++
				}
			}
			t.Logf("%d of 60", wrong)
			if wrong > 3 {
				t.Errorf("%d of 60 equal runs called different, want at most 3", wrong)
			}
		})
	}
}

// A row that takes what it took is not slower because its base got faster, whether the
// machine did that or the linker.
func TestAFasterBaseIsNoSlowdown(t *testing.T) {
	for _, c := range []struct {
		name   string
		factor float64 // of the row beside a guest
		busy   float64
		others float64 // by what the other bases moved
	}{
		{"the base alone", 1.45, 0.5, 1},
		{"the base alone, no guest", 1, 0, 1},
		{"all bases, and the row never follows them", 1, 0.5, 0.8},
		{"all bases, and nothing to read a slope from", 1, 0, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			rnd := newRand(11)
			wrong := 0
			for i := range 100 {
				g := guest{busy: c.busy}
				draw := func() []float64 {
					if c.busy == 0 {
						return make([]float64, 20)
					}
					return g.processes(rnd)
				}
				pa, pb := draw(), draw()
				own := 0.01
				bases := []Base{
					{Pair{g.run(rnd, pa, 1.4, 1, own), g.run(rnd, pb, 1.4, 0.8, own)}, true},
					{Pair{g.run(rnd, pa, 1.5, 1, own), g.run(rnd, pb, 1.5, c.others, own)}, false},
					{Pair{g.run(rnd, pa, 1.5, 1, own), g.run(rnd, pb, 1.5, c.others, own)}, false},
				}
				row, again := g.run(rnd, pa, c.factor, 1, own), g.run(rnd, pb, c.factor, 1, own)
				if v, _, _ := (Judge{Margin: 0.02, Drift: driftOf(bases), Rows: 20, Seed: uint64(i)}).Beside(row, again, Time, bases); v.Verdict == Slower {
					wrong++
				}
			}
			if wrong > 5 {
				t.Errorf("%d of 100 called slower", wrong)
			}
		})
	}
}

func TestWithoutBasesThingsStayAsTheyAre(t *testing.T) {
	rnd := newRand(12)
	a, b, bases := guests(rnd, 1.4, 1.1, 0.01)
	few := func(s Sample) Sample { return Sample{s.Values[:15], s.Cluster[:15]} } // five processes
	zero := Sample{append([]float64{0}, a.Values[1:]...), a.Cluster}
	away := append([]Base{}, bases...)
	for i := range away {
		away[i].Beside = false
	}
	j := Judge{Margin: 0.02, Rows: 1, Seed: 1}
	for _, c := range []struct {
		name  string
		a, b  Sample
		n     Nature
		bases []Base
	}{
		{"no base", a, b, Time, nil},
		{"bases of other processes", a, b, Time, away},
		{"five processes", few(a), b, Time, bases},
		{"a size", a, b, Size, bases},
		{"a zero", zero, b, Time, bases},
		{"a base with a zero", a, b, Time, []Base{{Pair{zero, b}, true}}},
	} {
		want, drift := j.Compare(c.a, c.b, c.n)
		if got, d, adjusted := j.Beside(c.a, c.b, c.n, c.bases); got != want || d != drift || adjusted {
			t.Errorf("%s: %+v %v, want %+v", c.name, got, adjusted, want)
		}
	}
	if _, _, adjusted := j.Beside(a, b, Time, bases); !adjusted {
		t.Error("not adjusted with bases")
	}
}
