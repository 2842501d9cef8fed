package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A noise makes the time of one sample whose true value is 1. pos is the place
// of the sample inside its process, from 0 to 1.
type noise func(rnd *rand.Rand, pos float64) float64

var noises = []struct {
	name string
	bias float64 // deviation of a process's own ratio
	time noise
}{
	{"gaussian", 0, func(r *rand.Rand, _ float64) float64 { return 1 + 0.03*r.NormFloat64() }},
	{"large gaussian", 0, func(r *rand.Rand, _ float64) float64 { return math.Exp(0.3 * r.NormFloat64()) }},
	{"heavy tail", 0, func(r *rand.Rand, _ float64) float64 { return 1 + 0.1*math.Exp(2*r.NormFloat64()) }},
	{"spikes", 0, func(r *rand.Rand, _ float64) float64 {
		t := 1 + 0.03*r.NormFloat64()
		if r.IntN(100) == 0 {
			t *= 10
		}
		return t
	}},
	{"process bias", 0.01, func(r *rand.Rand, _ float64) float64 { return 1 + 0.01*r.NormFloat64() }},
	{"large process bias", 0.1, func(r *rand.Rand, _ float64) float64 { return 1 + 0.01*r.NormFloat64() }},
	{"drift", 0.01, func(r *rand.Rand, pos float64) float64 {
		return (1 + 0.5*pos*pos) * (1 + 0.01*r.NormFloat64())
	}},
	{"wandering speed", 0.01, func(r *rand.Rand, pos float64) float64 {
		return (1 + 0.2*math.Sin(40*pos)) * (1 + 0.02*r.NormFloat64())
	}},
}

// paired simulates the lab: processes × blocks of samples in ABBA or BAAB order,
// the second arm slower by truth. A process's bias is of its ratio.
func paired(rnd *rand.Rand, processes, blocks int, truth, bias float64, time noise) []Block {
	var out []Block
	for p := range processes {
		own := truth * math.Exp(bias*rnd.NormFloat64())
		for b := range blocks {
			var sum [2]float64
			first := rnd.IntN(2)
			for i, arm := range []int{first, 1 - first, 1 - first, first} {
				t := time(rnd, float64(4*b+i)/float64(4*blocks))
				sum[arm] += t * []float64{1, own}[arm]
			}
			out = append(out, Block{p, sum[1] / sum[0]})
		}
	}
	return out
}

func TestEqualThingsAreSeldomCalledDifferent(t *testing.T) {
	const runs = 200
	for _, n := range noises {
		for _, shape := range []struct{ processes, blocks int }{{5, 10}, {3, 4}} {
			t.Run(fmt.Sprint(n.name, shape), func(t *testing.T) {
				t.Parallel()
				rnd := newRand(1)
				wrong := 0
				for i := range runs {
					v := Compare(paired(rnd, shape.processes, shape.blocks, 1, n.bias, n.time), 0.02, uint64(i)).Verdict
					if v == Faster || v == Slower {
						wrong++
					}
				}
				t.Logf("%d of %d called different", wrong, runs)
				if wrong > runs/20 {
					t.Errorf("%d of %d equal pairs called different, want at most 5 %%", wrong, runs)
				}
			})
		}
	}
}

func TestDifferencesAreFound(t *testing.T) {
	for _, c := range []struct {
		truth float64
		want  Verdict
	}{{1.1, Slower}, {1 / 1.1, Faster}} {
		rnd := newRand(3)
		found := 0
		for i := range 200 {
			blocks := paired(rnd, 5, 10, c.truth, 0.01, func(r *rand.Rand, _ float64) float64 { return 1 + 0.03*r.NormFloat64() })
			if Compare(blocks, 0.02, uint64(i)).Verdict == c.want {
				found++
			}
		}
		if found < 180 {
			t.Errorf("ratio %.2f: %d of 200 found to be %s, want 180", c.truth, found, c.want)
		}
	}
}

func TestQuietEqualityIsProven(t *testing.T) {
	rnd := newRand(4)
	same := 0
	for i := range 200 {
		blocks := paired(rnd, 5, 10, 1, 0, func(r *rand.Rand, _ float64) float64 { return 1 + 0.002*r.NormFloat64() })
		if Compare(blocks, 0.02, uint64(i)).Verdict == Same {
			same++
		}
	}
	if same < 190 {
		t.Errorf("%d of 200 quiet equal pairs called the same, want 190", same)
	}
}

// unpaired simulates one run of a benchmark.
func unpaired(rnd *rand.Rand, processes, values int, truth, bias float64, time noise) Sample {
	var s Sample
	for p := range processes {
		own := truth * math.Exp(bias*rnd.NormFloat64())
		for i := range values {
			s.Values = append(s.Values, own*time(rnd, float64(i)/float64(values)))
			s.Cluster = append(s.Cluster, p)
		}
	}
	return s
}

func TestEqualRunsAreSeldomCalledDifferent(t *testing.T) {
	for _, n := range noises {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			rnd := newRand(5)
			wrong := 0
			for i := range 200 {
				a := unpaired(rnd, 5, 5, 1, n.bias, n.time)
				b := unpaired(rnd, 5, 5, 1, n.bias, n.time)
				if c, _ := (Judge{Margin: 0.02, Seed: uint64(i)}).Compare(a, b, Time); c.Verdict == Faster || c.Verdict == Slower {
					wrong++
				}
			}
			t.Logf("%d of 200 called different", wrong)
			if wrong > 10 {
				t.Errorf("%d of 200 equal runs called different, want at most 10", wrong)
			}
		})
	}
}

// A run has hundreds of rows, and its verdict is wrong if one of them is.
func TestEqualRunsOfManyRowsAreSeldomCalledDifferent(t *testing.T) {
	const rows, runs = 200, 15
	for _, n := range noises {
		if n.name == "gaussian" || n.bias == 0.01 {
			continue // tamer than the others
		}
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			rnd := newRand(7)
			wrong := 0
			for range runs {
				for i := range rows {
					// One value a process, as in a file of benchfmt.
					a := unpaired(rnd, 5, 1, 1, n.bias, n.time)
					b := unpaired(rnd, 5, 1, 1, n.bias, n.time)
					if c, _ := (Judge{Margin: 0.02, Rows: rows, Seed: uint64(i)}).Compare(a, b, Time); c.Verdict == Slower {
						wrong++
						break
					}
				}
			}
			t.Logf("%d of %d", wrong, runs)
			if wrong > 1 {
				t.Errorf("%d of %d pairs of equal runs have a row that is called slower", wrong, runs)
			}
		})
	}
}

func TestSlowRunsAreFound(t *testing.T) {
	time := func(r *rand.Rand, _ float64) float64 { return 1 + 0.02*r.NormFloat64() }
	for name, n := range map[string]struct {
		nature    Nature
		disturbed float64 // the share of processes that others make longer, by up to half
	}{
		"quiet times": {Time, 0},
		"quiet sizes": {Size, 0},
		"disturbed":   {Time, 0.3},
	} {
		run := func(rnd *rand.Rand, truth float64) Sample {
			s := unpaired(rnd, 20, 5, truth, 0.01, time)
			for p := range 20 {
				if rnd.Float64() < n.disturbed {
					by := 1 + rnd.Float64()/2
					for i := range 5 {
						s.Values[5*p+i] *= by
					}
				}
			}
			return s
		}
		t.Run(name, func(t *testing.T) {
			rnd := newRand(6)
			found, wrong := 0, 0
			for i := range 200 {
				old := run(rnd, 1)
				j := Judge{Margin: 0.02, Rows: 500, Seed: uint64(i)}
				if c, _ := j.Compare(old, run(rnd, 1.1), n.nature); c.Verdict == Slower {
					found++
				}
				if c, _ := j.Compare(old, run(rnd, 1), n.nature); c.Verdict != Unproven && c.Verdict != Same {
					wrong++
				}
			}
			if found < 190 || wrong > 0 {
				t.Errorf("%d of 200 found among 500 rows of twenty processes, want 190; %d of 200 equal runs called different", found, wrong)
			}
		})
	}
}
