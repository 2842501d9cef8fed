package stats

import (
	"math"
	"slices"
	"testing"
)

var nan, inf = math.NaN(), math.Inf(1)

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		name    string
		values  []float64
		cluster []int
		want    Summary
	}{
		{"nothing", nil, nil, Summary{}},
		{"no measurement", []float64{nan, inf, -inf}, nil, Summary{}},
		{"one value", []float64{3}, []int{7}, Summary{3, 3, 3}},
		{"one process, few values: the range", []float64{4, 1, 2, 3}, []int{0, 0, 0, 0}, Summary{2.5, 1, 4}},
		{"one process, no clusters told", []float64{3, 1, 2}, nil, Summary{2, 1, 3}},
		{"one process: order statistics", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, nil, Summary{5, 2, 8}},
		{"constant", []float64{1.1, 1.1, 1.1, 1.1}, []int{0, 0, 1, 1}, Summary{1.1, 1.1, 1.1}},
		{"zeros", []float64{0, 0, 0, 0}, []int{0, 0, 1, 1}, Summary{}},
		{"odd values are left out", []float64{nan, 2, inf}, []int{0, 1, 2}, Summary{2, 2, 2}},
		// Two processes 2 % apart: t is 12.7, on logarithms.
		{"two processes", []float64{100, 102}, []int{0, 1}, Summary{101, 89.0547, 114.536}},
		{"two processes, not above zero", []float64{-1, 1}, []int{0, 1}, Summary{0, -12.7062, 12.7062}},
	} {
		got := Summarize(c.values, c.cluster, 1)
		if !close(got.Median, c.want.Median) || !close(got.Lo, c.want.Lo) || !close(got.Hi, c.want.Hi) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-4*math.Abs(b) }

func TestSummarizeCountsProcessesNotSamples(t *testing.T) {
	// Five processes that differ by far more than the noise inside each.
	var values []float64
	var cluster []int
	rnd := newRand(1)
	for p, center := range []float64{100, 104, 98, 107, 101} {
		for range 200 {
			values = append(values, center+0.1*rnd.NormFloat64())
			cluster = append(cluster, p)
		}
	}
	one := Summarize(values, nil, 1)
	s := Summarize(values, cluster, 1)
	if s.Lo > 98.5 || s.Hi < 106 {
		t.Errorf("interval %v ignores the spread between processes", s)
	}
	if s.Hi-s.Lo <= one.Hi-one.Lo {
		t.Errorf("five processes %v are as sure as one %v", s, one)
	}
	if again := Summarize(values, cluster, 1); again != s {
		t.Errorf("the same seed gave %v and %v", s, again)
	}
}

// The spread between normal processes is the worst case of the t interval: it
// misses in 5 %, of which 1000 trials can't tell 6.5 % apart.
func TestSummarizeCoverage(t *testing.T) {
	rnd := newRand(2)
	missed := 0
	for i := range 1000 {
		s := unpaired(rnd, 5, 5, 1, 0.05, noises[0].time)
		if got := Summarize(s.Values, s.Cluster, uint64(i)); got.Lo > 1 || got.Hi < 1 {
			missed++
		}
	}
	if missed > 65 {
		t.Errorf("%d of 1000 intervals miss the true median, want about 5 %%", missed)
	}
}

func TestOutliers(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   []int // indices
	}{
		{"nothing", nil, nil},
		{"three values say nothing", []float64{1, 1, 1000}, nil},
		{"one far off", []float64{10, 11, 12, 11, 100, 10}, []int{4}},
		{"one far below", []float64{100, 101, 102, 101, 1, 100}, []int{4}},
		{"last digit of a coarse clock", []float64{512, 512, 512, 513, 512}, nil},
		{"far off among equals", []float64{512, 512, 600, 512, 512}, []int{2}},
		{"no measurement", []float64{nan, 1, inf, 1}, []int{0, 2}},
		{"huge", []float64{-math.MaxFloat64, math.MaxFloat64, 0, 1}, nil},
	} {
		var got []int
		for i, out := range Outliers(c.values) {
			if out {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// five processes measure the same ratio.
func five(ratio float64) (blocks []Block) {
	for p := range 5 {
		blocks = append(blocks, Block{p, ratio})
	}
	return blocks
}

func TestCompareEdges(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []Block
		margin float64
		want   Comparison
	}{
		{"nothing", nil, 0.02, Comparison{Verdict: Unproven}},
		{"no ratios", []Block{{0, nan}, {1, inf}, {2, 0}, {3, -1}}, 0.02, Comparison{Verdict: Unproven}},
		{"one block has no interval", []Block{{0, 2}}, 0.02, Comparison{2, 0, 0, 1, Unproven, 0}},
		{"one good block", []Block{{0, 2}, {0, nan}, {1, 0}}, 0.02, Comparison{2, 0, 0, 1, Unproven, 0}},
		{"one process proves nothing", []Block{{0, 2}, {0, 2}}, 0.02, Comparison{2, 2 / 1.03, 2 * 1.03, 2, Unproven, 0}},
		{"one process can't prove equality", []Block{{0, 1}, {0, 1}, {0, 1}}, 0.02, Comparison{1, 1 / 1.03, 1.03, 3, Unproven, 0}},
		{"processes agree: slower", []Block{{0, 1.5}, {1, 1.5}}, 0.02, Comparison{1.5, 1.43399, 1.56904, 2, Slower, 1.04603}},
		{"processes agree: faster", []Block{{0, 0.5}, {1, 0.5}}, 0.02, Comparison{0.5, 0.477998, 0.523015, 2, Faster, 1.04603}},
		{"two that agree are no proof of equality", []Block{{0, 1.01}, {1, 1.01}}, 0.02, Comparison{1.01, 0.965556, 1.05649, 2, Unproven, 1.04603}},
		{"inside the margin", five(1.01), 0.02, Comparison{1.01, 1.00662, 1.01339, 5, Same, 1.02}},
		{"no margin", five(1.01), 0, Comparison{1.01, 1.00662, 1.01339, 5, Slower, 1.00336}},
		{"margin is no number", five(1.01), nan, Comparison{1.01, 1.00662, 1.01339, 5, Slower, 1.00336}},
		{"two that disagree prove nothing", []Block{{0, 1.1}, {1, 1.5}}, 0.02, Comparison{1.28452, 0.00923959, 178.579, 2, Unproven, 139.024}},
		{"absurd spread stays finite", []Block{{0, 1e-300}, {1, 1e300}}, 0.02, Comparison{1, math.Exp(-700), math.Exp(700), 2, Unproven, math.Exp(700)}},
	} {
		got := Compare(c.blocks, c.margin, 1)
		if !close(got.Ratio, c.want.Ratio) || !close(got.Lo, c.want.Lo) ||
			!close(got.Hi, c.want.Hi) || !close(got.Finds, c.want.Finds) || got.Blocks != c.want.Blocks || got.Verdict != c.want.Verdict {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// The quotient of the medians is what is shown, and the interval holds it and the pairs' mean.
func TestCompareMedians(t *testing.T) {
	disturbed := []Block{{0, 157}, {1, 160}, {2, 155}, {3, 2000}, {4, 9000}}
	pairs := Compare(disturbed, 0.02, 1)
	c := CompareMedians(disturbed, 157, 0.02, 1)
	if !close(c.Ratio, 157) || c.Lo >= pairs.Lo || c.Hi < pairs.Hi || c.Hi < pairs.Ratio || c.Verdict != Slower {
		t.Errorf("%+v, the pairs alone: %+v", c, pairs)
	}
	// What the pairs don't show, no quotient proves; and one on the other side takes it back.
	for _, quotient := range []float64{0.01, 100} {
		if c := CompareMedians([]Block{{0, 1.1}, {1, 0.9}, {2, 1}}, quotient, 0.02, 1); c.Verdict != Unproven || c.Lo > 1 || c.Hi < 1 {
			t.Errorf("%v: %+v", quotient, c)
		}
	}
	if c := CompareMedians(five(1.5), 0.5, 0.02, 1); c.Verdict != Unproven || c.Lo > 0.5 || c.Hi < 1.5 {
		t.Errorf("%+v", c)
	}
	for _, none := range []float64{0, -1, nan, inf} {
		if CompareMedians(disturbed, none, 0.02, 1) != pairs {
			t.Errorf("%v counts as a quotient", none)
		}
	}
}

// A t interval of few disturbed processes reaches below all that was seen.
func TestSummaryStaysInRange(t *testing.T) {
	values, cluster := []float64{10, 10.1, 10.2, 400, 9000}, []int{0, 1, 2, 3, 4}
	if s := Summarize(values, cluster, 1); s.Lo != 10 || s.Hi != 9000 {
		t.Errorf("%+v", s)
	}
	if s := Summarize(values[1:], cluster[1:], 1); s.Lo >= 10.1 {
		t.Errorf("four processes' range is no interval: %+v", s)
	}
}

func TestJudgeEdges(t *testing.T) {
	one := func(v ...float64) Sample { return Sample{Values: v} }
	many := func(v ...float64) Sample {
		s := Sample{Values: v}
		for i := range v {
			s.Cluster = append(s.Cluster, i)
		}
		return s
	}
	for _, c := range []struct {
		name   string
		nature Nature
		a, b   Sample
		want   Verdict
		ratio  float64
	}{
		{"nothing", Time, one(), one(), Unproven, 0},
		{"nothing on one side", Time, one(1, 2), one(nan), Unproven, 0},
		{"zero has no ratio", Time, many(0, 0, 0, 0), many(1, 1, 1, 1), Unproven, 0},
		{"one each", Time, one(1), one(2), Unproven, 2},
		{"one process each, however often", Time, one(1, 1, 1, 1, 1, 1, 1, 1), one(9, 9, 9, 9, 9, 9, 9, 9), Unproven, 9},
		{"processes against one", Time, many(1, 1.01, 1.02, 1.01, 1), one(2, 2.01, 2.02, 2.03, 2), Unproven, 2},
		{"two", Time, many(1, 1), many(2, 2), Unproven, 2},
		{"three", Time, many(1, 1.01, 1.02), many(0.5, 0.51, 0.52), Faster, 0.505},
		{"three, identical, by what layout may do", Time, many(1, 1, 1), many(1.015, 1.015, 1.015), Unproven, 1.015},
		{"three, identical, by more", Time, many(1, 1, 1), many(1.5, 1.5, 1.5), Slower, 1.5},
		{"five, equal", Time, many(1, 1, 1, 1, 1), many(1, 1, 1, 1, 1), Same, 1},
		{"tail of three", Tail, many(1, 1, 1), many(2, 2, 2), Unproven, 2},
		{"tail of five that varies", Tail, many(1, 1.2, 0.9, 1.1, 1), many(1.4, 1.5, 1.3, 1.6, 1.4), Unproven, 1.387},
		{"the same as times", Time, many(1, 1.2, 0.9, 1.1, 1), many(1.4, 1.5, 1.3, 1.6, 1.4), Slower, 1.387},
		{"a few threads", Count, many(4, 4, 4, 4, 4), many(5, 5, 5, 5, 5), Unproven, 1.25},
		{"many threads", Count, many(260, 260, 260, 260, 260), many(520, 520, 520, 520, 520), Slower, 2},
	} {
		got, _ := Judge{Margin: 0.02, Rows: 1, Seed: 1}.Compare(c.a, c.b, c.nature)
		if got.Verdict != c.want || math.Abs(got.Ratio-c.ratio) > 0.01 {
			t.Errorf("%s: %+v, want %s %v", c.name, got, c.want, c.ratio)
		}
		// What was found is at least as large as what would have been.
		if found := max(got.Ratio, 1/got.Ratio); (got.Verdict == Faster || got.Verdict == Slower) && (got.Finds < 1.02 || found < got.Finds) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// What is proven of one row may be chance among a thousand.
func TestManyRowsAskForMore(t *testing.T) {
	a, b := onePair(5, 1.04).A, onePair(5, 1.04).B
	for rows, want := range map[int]Verdict{1: Slower, 1000: Unproven} {
		if c, _ := (Judge{Margin: 0.02, Rows: rows, Seed: 1}).Compare(a, b, Time); c.Verdict != want {
			t.Errorf("one of %d: %+v, want %s", rows, c, want)
		}
	}
}

// A row that spreads more than those that tell of the drift is moved more.
func TestDriftReachesFurtherWhereProcessesSpread(t *testing.T) {
	d := Drift{Shift: 0.01, Reach: 0.02, Spread: 0.01}
	if got := d.forSpread(0.05); math.Abs(got.Reach-0.1) > 1e-12 || got.Shift != d.Shift {
		t.Errorf("%+v", got)
	}
	if got := d.forSpread(0.001); got != d {
		t.Errorf("a quiet row: %+v", got)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{3, 1}, 2},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := Median(c.list); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.list, got, c.want)
		}
	}
}

func TestTQuantile(t *testing.T) {
	for _, c := range []struct{ level, freedom, want float64 }{
		{0.95, 1, 12.70620}, {0.95, 1.9, 12.70620}, {0.95, 2, 4.30265}, {0.95, 3, 3.18245}, {0.95, 4, 2.77645},
		{0.95, 5, 2.57058}, {0.95, 10, 2.22814}, {0.95, 30, 2.04227}, {0.95, 120, 1.97993},
		{0.95, math.Inf(1), 1.96234}, {0.95, 0, 12.70620}, {0.95, nan, 12.70620},
		{0.98, 1, 31.82052}, {0.98, 4, 3.74695}, {0.98, 30, 2.45726},
	} {
		if got := tQuantile(c.level, c.freedom); math.Abs(got-c.want) > 2e-5 {
			t.Errorf("t(%v, %v) = %v, want %v", c.level, c.freedom, got, c.want)
		}
	}
}

func FuzzNeverPanics(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, 0, 1, 0.02)
	f.Add(nan, inf, -inf, 0.0, 3, 3, nan)
	f.Add(5e-324, math.MaxFloat64, -math.MaxFloat64, 1.0, -1, 1<<30, inf)
	f.Fuzz(func(t *testing.T, a, b, c, d float64, p, q int, margin float64) {
		values, cluster := []float64{a, b, c, d, a}, []int{p, q, p, q}
		s := Summarize(values, cluster, 1)
		if !finite(s.Median) || !finite(s.Lo) || !finite(s.Hi) || s.Lo > s.Median || s.Median > s.Hi {
			t.Fatalf("summary %v", s)
		}
		Outliers(values)
		blocks := []Block{{p, a}, {q, b}, {p, c}, {q, d}}
		judged, _ := Judge{Margin: margin, Rows: p, Seed: 1}.Compare(Sample{values, cluster}, Sample{values[1:], cluster}, Nature(uint(q)%5))
		for _, c := range []Comparison{Compare(blocks, margin, 1), CompareMedians(blocks, d/a, margin, 1), judged} {
			if !finite(c.Ratio) || !finite(c.Lo) || !finite(c.Hi) || c.Verdict == "" {
				t.Fatalf("comparison %+v", c)
			}
			if (c.Lo != 0 || c.Hi != 0) && (c.Lo > c.Ratio || c.Ratio > c.Hi) {
				t.Fatalf("ratio outside of its interval: %+v", c)
			}
		}
	})
}
