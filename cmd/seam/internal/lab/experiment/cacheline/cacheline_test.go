//seam:test race nocgo arm64

package cacheline

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

// Other tools and stored results refer to these names.
func TestNamesAreFixed(t *testing.T) {
	var want []string
	for _, shape := range []string{"small", "large"} {
		for _, set := range []string{"set=hot/via=leaf", "set=hot/via=cgo", "set=cold/via=leaf", "set=cold/via=cgo", "set=chain/via=leaf"} {
			for _, layout := range []string{"packed", "natural", "aligned", "straddled"} {
				want = append(want, "CacheLine/layout="+layout+"/shape="+shape+"/"+set)
			}
		}
	}
	for _, via := range []string{"leaf", "cgo"} {
		for _, s := range []string{"packed/threads=2", "natural/threads=2", "aligned/threads=2", "aligned-128/threads=2", "aligned/threads=1"} {
			want = append(want, "CacheLine/layout="+s+"/via="+via)
		}
	}
	for _, s := range []string{"packed/threads=2", "aligned/threads=2", "aligned-128/threads=2", "aligned/threads=1"} {
		want = append(want, "CacheLine/layout="+s+"/via=counter")
	}
	for _, shape := range []string{"small", "large"} {
		for _, layout := range []string{"packed", "natural", "aligned", "straddled"} {
			want = append(want, "CacheLine/layout="+layout+"/shape="+shape+"/what=lines")
		}
		want = append(want, "CacheLine/layout=natural/shape="+shape+"/place=go-heap", "CacheLine/layout=natural/shape="+shape+"/place=malloc")
	}
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		var got []string
		bases := map[string]int{}
		for _, c := range Experiment.Cases(mode) {
			got = append(got, c.Name)
			if c.Label == "" {
				t.Errorf("%s has no label", c.Name)
			}
			if c.Probe == nil {
				bases[c.Group] += map[bool]int{true: 1}[c.Base]
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%v: cases are\n%s\nwant\n%s", mode, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for group, n := range bases {
			if n != 1 {
				t.Errorf("group %q has %d bases", group, n)
			}
		}
	}
}

// skipped ends a test whose case this machine can't measure, unless it must be able to.
func skipped(t *testing.T, err error) {
	t.Helper()
	var nm *lab.NotMeasured
	switch {
	case err == nil:
		return
	case errors.As(err, &nm) && (os.Getenv("SEAM_WANT_LEAF") != "assembly" || strings.Contains(nm.Reason, "two threads")):
		t.Skip(nm.Reason)
	}
	t.Fatal(err)
}

// Every case of threads runs to its end and leaves nothing. (Those of sets are in
// calls_linux_test.go, with smaller arrays.)
func TestThreadsRun(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Quick) {
		if !strings.Contains(c.Name, "threads=") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			op, err := c.Setup()
			skipped(t, err)
			for _, n := range []int{1, 0, 100, 1000} {
				if op.Time != nil {
					if took := op.Time(n); took < 0 {
						t.Errorf("%d operations took %v", n, took)
					}
				} else {
					op.Run(n)
				}
			}
			if op.Close != nil {
				op.Close()
			}
			labtest.NoMoreGoroutines(t, before)
		})
	}
}

// Both threads do all operations, at the same time: each waits here for the other.
func TestTwoThreadsRunTogether(t *testing.T) {
	met := make(chan int)
	op, err := twoThreads(func(n int) { met <- n }, func(n int) {
		if other := <-met; other != n {
			t.Errorf("one thread does %d, the other %d", other, n)
		}
	})
	skipped(t, err)
	before := runtime.NumGoroutine()
	op.Time(3)
	op.Time(5)
	op.Close()
	labtest.NoMoreGoroutines(t, before-1)
}

func TestProbes(t *testing.T) {
	b := lab.NewBench(lab.Quick, 1)
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Probe == nil {
			continue
		}
		metrics, err := c.Probe(context.Background(), b)
		skipped(t, err)
		found := map[string]float64{}
		for _, m := range metrics {
			found[m.Unit] = m.Value
		}
		if found[unitLines] < 1 || found[unitLines] > 3 {
			t.Errorf("%s: %v lines a struct", c.Name, found[unitLines])
		}
		for _, unit := range []string{unitSplit, unitFields} {
			if v, ok := found[unit]; !ok || v < 0 || v > 100 {
				t.Errorf("%s: %s is %v", c.Name, unit, v)
			}
		}
		if strings.Contains(c.Name, "layout=aligned") && (found[unitSplit] != 0 || found[unitFields] != 0) {
			t.Errorf("%s: aligned structs straddle: %v", c.Name, found)
		}
		if strings.Contains(c.Name, "layout=straddled") && found[unitSplit] != 100 {
			t.Errorf("%s: not all straddle: %v", c.Name, found)
		}
		if by, ok := found[unitLayout]; ok && (found[unitLines] < by-0.01 || found[unitLines] > by+0.01) {
			t.Errorf("%s: %v lines by the addresses, %v by the layout", c.Name, found[unitLines], by)
		}
	}
}

func TestLineOf(t *testing.T) {
	for text, ok := range map[string]bool{"64\n": true, "": true, "many": true, "0": true, "128\n": false, "32": false} {
		if err := lineOf(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
