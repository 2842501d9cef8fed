//seam:test nocgo arm64

package grid

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
)

// Others build on these names.
func TestNames(t *testing.T) {
	want := []string{
		"Grid/work=10/kind=fold/via=go",
		"Grid/work=10/kind=fold/via=cgo",
		"Grid/work=10/kind=fold/via=leaf",
		"Grid/work=10000/kind=nofold/via=leaf",
		"Grid/breakeven/kind=fold/via=cgo",
		"Grid/breakeven/kind=nofold/via=leaf",
	}
	timed := regexp.MustCompile(`^Grid/work=(10|50|100|500|1000|5000|10000)/kind=(fold|nofold)/via=(go|cgo|leaf)$`)
	for mode := lab.Quick; mode <= lab.Full; mode++ {
		seen := map[string]bool{}
		setups := 0
		for _, c := range cases(mode) {
			if seen[c.Name] {
				t.Errorf("%v: %s twice", mode, c.Name)
			}
			seen[c.Name] = true
			if (c.Setup == nil) == (c.Probe == nil) {
				t.Errorf("%v: %s: exactly one of Setup and Probe must be set", mode, c.Name)
			}
			if c.Setup != nil {
				setups++
				if !timed.MatchString(c.Name) {
					t.Errorf("%v: timed case has the name %s, want %s", mode, c.Name, timed)
				}
			}
		}
		if setups != 2*7*3 {
			t.Errorf("%v: %d timed cases, want %d", mode, setups, 2*7*3)
		}
		for _, name := range want {
			if !seen[name] {
				t.Errorf("%v: no case %s", mode, name)
			}
		}
	}
}

func TestGroupsHaveGoAsBase(t *testing.T) {
	groups := map[string][]lab.Case{}
	for _, c := range cases(lab.Quick) {
		if c.Setup != nil {
			groups[c.Group] = append(groups[c.Group], c)
		}
	}
	for name, list := range groups {
		if len(list) != 3 {
			t.Errorf("group %q has %d cases, want 3", name, len(list))
		}
		for _, c := range list {
			if c.Base != strings.HasSuffix(c.Name, "/via=go") {
				t.Errorf("group %q: Base of %s is %v", name, c.Name, c.Base)
			}
			if fold := strings.Contains(c.Name, "kind=fold"); (c.Reference != nil) != (fold && !strings.HasSuffix(c.Name, "leaf")) {
				t.Errorf("%s: reference %v; figures are published for fold through Go and cgo", c.Name, c.Reference)
			}
		}
	}
}

func TestCallsOfMode(t *testing.T) {
	for _, c := range []struct {
		mode lab.Mode
		want []int
	}{
		{lab.Quick, []int{500, 1000, 5000, 10_000}},
		{lab.Normal, []int{5000, 10_000, 50_000, 100_000}},
		{lab.Full, []int{500_000, 1_000_000, 5_000_000, 10_000_000}},
	} {
		if got := callsOf(c.mode); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.mode, got, c.want)
		}
	}
}

func TestCallsAt(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls int
		ok    bool
	}{
		{callsName(10, viaCgo, 500), 500, true},
		{callsName(100, viaCgo, 500), 0, false},
		{callsName(10, viaGo, 500), 0, false},
		{seriesName(10, fold, viaCgo), 0, false},
		{seriesName(10, fold, viaCgo) + "/calls=", 0, false},
		{seriesName(10, fold, viaCgo) + "/calls=many", 0, false},
	} {
		if calls, ok := callsAt(c.name, 10, viaCgo); calls != c.calls || ok != c.ok {
			t.Errorf("callsAt(%q) = %d, %v, want %d, %v", c.name, calls, ok, c.calls, c.ok)
		}
	}
}

func TestCallsProbe(t *testing.T) {
	b := lab.NewBench(lab.Quick, 1)
	calls := []int{5, 10}
	metrics, err := callsProbe(calls)(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, m := range metrics {
		got[m.Name] = true
		if m.Unit != "ns/op" || !(m.Value > 0) {
			t.Errorf("%s is %v %s, want a positive number of ns/op", m.Name, m.Value, m.Unit)
		}
	}
	for _, row := range reference.Grid {
		for _, v := range vias {
			_, err := newOp(fold, v, row.Count)
			for _, n := range calls {
				if name := callsName(row.Count, v, n); got[name] != (err == nil) {
					t.Errorf("%s reported: %v, want %v (%v)", name, got[name], err == nil, err)
				}
			}
		}
	}
}

// A probe that is told to stop returns why, and not a figure of half a search.
func TestProbesStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range cases(lab.Quick) {
		if c.Probe == nil {
			continue
		}
		start := time.Now()
		metrics, err := c.Probe(ctx, lab.NewBench(lab.Quick, 1))
		var skip *lab.NotMeasured
		if len(metrics) > 0 || !(errors.Is(err, context.Canceled) || errors.As(err, &skip)) {
			t.Errorf("%s returned %v, error %v after %v, want %v", c.Name, metrics, err, time.Since(start), context.Canceled)
		}
	}
}

func TestUnknownWay(t *testing.T) {
	if _, err := newOp(fold, "pigeon", 1); err == nil {
		t.Error("an unknown way was accepted")
	}
}
