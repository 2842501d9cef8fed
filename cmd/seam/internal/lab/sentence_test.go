package lab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// measured makes a series of a process for each value.
func measured(name, unit string, values ...float64) result.Series {
	s := result.Series{Name: name, Unit: unit, Label: name}
	for round, v := range values {
		s.Samples = append(s.Samples, result.Sample{Round: round, N: 1, Value: v})
	}
	return summarised(s, s.Samples, 1)
}

func TestCountsAreTold(t *testing.T) {
	for _, c := range []struct {
		unit string
		a, b []float64
		want string
	}{
		{"threads", []float64{262, 263, 263}, []float64{9}, "a 263 threads (262–263 threads); b 9 threads"},
		{"B/unit", []float64{2755}, []float64{24883}, "a 2.69 KiB; b 24.3 KiB"},
		{"count", []float64{100000, 100000}, []float64{16, 16}, "a 100,000; b 16, 0.000160× (0.000153–0.000167×), less"},
		{"p99-ns", []float64{100, 101, 99}, []float64{200, 100, 400}, "a 100 ns; b 200 ns, undecided, too noisy"},
		{"p99-ns", []float64{100}, []float64{200}, "a 100 ns; b 200 ns, undecided"},
		{"p99-ns", []float64{100, 101, 99}, []float64{103, 101, 102}, "a 100 ns; b 102 ns, undecided below 1.08×"},
	} {
		a := Analysis{&result.Experiment{Series: []result.Series{measured("a", c.unit, c.a...), measured("b", c.unit, c.b...)}}}
		if got := a.Each(c.unit, "a", Named{Name: "a"}, Named{Name: "b"}); got.text != c.want {
			t.Errorf("%s: %q, want %q", c.unit, got.text, c.want)
		}
	}
}

// A ratio is that of its medians, however far the processes are apart.
func TestRatioAgreesWithMedians(t *testing.T) {
	a := Analysis{&result.Experiment{Series: []result.Series{
		measured("goroutine", "ns/op", 325, 320, 330, 310, 1200), measured("thread", "ns/op", 51.1e3, 50e3, 900e3, 52e3, 4e6),
	}}}
	c := a.Against("thread", "goroutine", "ns/op")
	if c == nil || fmt.Sprintf("%.4g", c.Ratio) != fmt.Sprintf("%.4g", 52e3/325.) || c.Lo > c.Ratio || c.Hi < c.Ratio {
		t.Errorf("%+v", c)
	}
}

func TestExcess(t *testing.T) {
	a := Analysis{&result.Experiment{Series: []result.Series{
		measured("one", "%", 4), measured("zero", "%", -3, 1, 4), measured("more", "%", 4, 4.1, 4.2, 4.1, 4),
	}}}
	for name, want := range map[string]string{"one": "4.00% in one process", "zero": "undecided (", "more": "4.10% (4.0"} {
		if got := a.Excess(name, "%").text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
