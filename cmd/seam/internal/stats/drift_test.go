package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// onePair is a benchmark of n processes a run, the second slower by ratio.
func onePair(n int, ratio float64) Pair {
	var p Pair
	for i := range n {
		v := 1 + 0.01*float64(i%3)
		p.A.Values, p.A.Cluster = append(p.A.Values, v), append(p.A.Cluster, i)
		p.B.Values, p.B.Cluster = append(p.B.Values, v*ratio), append(p.B.Cluster, i)
	}
	return p
}

func TestDriftOf(t *testing.T) {
	none := Pair{Sample{}, Sample{}}
	zero := Pair{Sample{[]float64{0}, nil}, Sample{[]float64{1}, nil}}
	for _, c := range []struct {
		name  string
		pairs []Pair
		want  float64
		ok    bool
	}{
		{"none", nil, 0, false},
		{"without a ratio", []Pair{none, zero}, 0, false},
		{"one", []Pair{onePair(5, 1.03)}, 1.03, true},
		{"one process", []Pair{onePair(1, 1.03)}, 0, false},
		{"alike", []Pair{onePair(5, 1.03), onePair(5, 1.03), zero}, 1.03, true},
		{"one has a reason of its own", []Pair{onePair(5, 1.03), onePair(5, 1.03), onePair(5, 1.5)}, 1.03, true},
		{"faster", []Pair{onePair(5, 0.9)}, 0.9, true},
	} {
		d, ok := DriftOf(c.pairs)
		if ok != c.ok || ok && math.Abs(math.Exp(d.Shift)-c.want) > 1e-9 {
			t.Errorf("%s: %v %v, want %v", c.name, math.Exp(d.Shift), ok, c.want)
		}
		if ok && !(d.Reach > 0 && d.Reach < 0.2) {
			t.Errorf("%s: reach %v", c.name, d.Reach)
		}
		if lo, hi := d.Band(); !(lo <= 1 && hi >= 1) {
			t.Errorf("%s: band %v to %v leaves 1 out", c.name, lo, hi)
		}
	}
	alike, _ := DriftOf([]Pair{onePair(5, 1.03), onePair(5, 1.03)})
	apart, _ := DriftOf([]Pair{onePair(5, 1.01), onePair(5, 1.05)})
	if apart.Reach <= alike.Reach {
		t.Errorf("bases that disagree reach %v, those that agree %v", apart.Reach, alike.Reach)
	}
}

func TestDriftOfAll(t *testing.T) {
	pairs := []Pair{onePair(5, 1.03), onePair(5, 1.03), onePair(5, 1.03), onePair(5, 1.5)}
	if d, ok := DriftOfAll(pairs); ok {
		t.Errorf("four pairs tell of a drift: %v", d)
	}
	d, ok := DriftOfAll(append(pairs, onePair(5, 1.031)))
	if !ok || math.Abs(math.Exp(d.Shift)-1.03) > 1e-9 || d.Reach > 0.01 {
		t.Errorf("%v %v, want 3 %%", d, ok)
	}
}

// judged compares a pair that stands alone.
func judged(p Pair, d Drift) Comparison {
	c, _ := Judge{Margin: 0.02, Drift: d, Rows: 1, Seed: 1}.Compare(p.A, p.B, Time)
	return c
}

func TestVerdictsAllowForDrift(t *testing.T) {
	p := onePair(5, 1.05)
	for _, c := range []struct {
		drift Drift
		want  Verdict
	}{
		{Drift{}, Slower},
		{Drift{Shift: 0.05, Reach: 0.01}, Unproven},
		{Drift{Shift: -0.05, Reach: 0.01}, Slower},
		{Drift{Shift: -0.05, Reach: 0.05}, Unproven},
		{Drift{Shift: 0.01, Reach: 0.005}, Slower},
	} {
		if got := judged(p, c.drift); got.Verdict != c.want {
			t.Errorf("%+v: %+v, want %s", c.drift, got, c.want)
		}
		if c.want == Slower {
			want := map[Verdict]Verdict{Slower: Faster}[c.want]
			if got := judged(Pair{p.B, p.A}, c.drift.Inverse()); got.Verdict != want {
				t.Errorf("the other way round, %+v: %+v, want %s", c.drift, got, want)
			}
		}
	}
}

// Two runs of one program on a machine that drifts: a shift of a few per cent
// that all rows share, and a little of their own.
func TestDriftIsSeldomTakenForTheProgram(t *testing.T) {
	rnd := newRand(7)
	noise := func(r *rand.Rand, _ float64) float64 { return 1 + 0.01*r.NormFloat64() }
	rows, plain, allowed, found := 0, 0, 0, 0
	for range 60 {
		shared := 0.03 * rnd.NormFloat64()
		row := func(truth float64) Pair {
			own := math.Exp(shared + 0.004*rnd.NormFloat64())
			return Pair{unpaired(rnd, 5, 6, 1, 0.01, noise), unpaired(rnd, 5, 6, truth*own, 0.01, noise)}
		}
		drift, ok := DriftOf([]Pair{row(1), row(1)})
		if !ok {
			t.Fatal("no drift")
		}
		different := func(p Pair, d Drift) bool {
			v := judged(p, d).Verdict
			return v == Faster || v == Slower
		}
		for range 5 {
			p := row(1)
			rows++
			if different(p, Drift{}) {
				plain++
			}
			if different(p, drift) {
				allowed++
			}
		}
		p := row(1.15)
		if judged(p, drift).Verdict == Slower {
			found++
		}
	}
	t.Logf("of %d equal rows called different: %d without an estimate of the drift, %d with it; %d of 60 slowdowns found", rows, plain, allowed, found)
	if plain < rows/5 {
		t.Errorf("%d of %d without the estimate: the simulation shows no drift", plain, rows)
	}
	if allowed > rows/20 {
		t.Errorf("%d of %d equal rows called different, want at most 5 %%", allowed, rows)
	}
	if found < 54 {
		t.Errorf("%d of 60 slowdowns of 15 %% found, want 54", found)
	}
}
