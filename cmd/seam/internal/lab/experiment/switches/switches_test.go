//seam:test race nocgo arm64

package switches

import (
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

func TestNamesAreFixed(t *testing.T) {
	want := map[string]bool{}
	for _, k := range []string{"none", "none-c", "process", "thread", "goroutine", "channel", "iterpull", "futex", "syscall"} {
		for _, ws := range []string{"0", "16384", "65536", "1048576"} {
			want["Switch/kind="+k+"/ws="+ws] = true
		}
	}
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		got := map[string]bool{}
		bases := map[string]int{}
		for _, c := range Experiment.Cases(mode) {
			if !want[c.Name] || got[c.Name] {
				t.Errorf("%v: unexpected or repeated name %q", mode, c.Name)
			}
			got[c.Name] = true
			if c.Base {
				bases[c.Group]++
			}
			if c.Setup == nil || c.Probe != nil || c.Label == "" || c.Procs != 1 || !strings.HasSuffix(c.Name, c.Group) {
				t.Errorf("%v: bad case %+v", mode, c)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v: %d names, want %d", mode, len(got), len(want))
		}
		for g, n := range bases {
			if n != 1 {
				t.Errorf("%v: group %s has %d bases", mode, g, n)
			}
		}
		if len(bases) != 4 {
			t.Errorf("%v: %d groups have a base, want 4", mode, len(bases))
		}
	}
}

// Every case runs, each party touches each line of its buffer once for every
// time that it gets control, and nothing is left behind.
func TestEveryCase(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for _, c := range Experiment.Cases(lab.Quick) {
		t.Run(c.Name, func(t *testing.T) {
			before := labtest.Leftovers(t)
			op, err := c.Setup()
			labtest.Measured(t, err)
			b := pairOf(c.Group)
			ours, theirs := counts(t, b.ours), counts(t, b.theirs)
			const n = 64
			op.Run(n)
			if got := counts(t, b.ours) - ours; len(b.ours) > 0 && got != n/2 {
				t.Errorf("our lines were touched %d times by %d switches, want %d", got, n, n/2)
			}
			if got := counts(t, b.theirs) - theirs; len(b.theirs) > 0 && got != n/2 {
				t.Errorf("the peer's lines were touched %d times by %d switches, want %d", got, n, n/2)
			}
			op.Run(1)
			op.Run(1)
			op.Run(7)
			op.Close()
			labtest.NoMoreThan(t, before)
			if b := pairOf(c.Group); b != nil {
				t.Errorf("buffers have %d users after Close", b.users)
			}
		})
	}
	labtest.NoMoreGoroutines(t, goroutines)
}

// pairOf returns the buffers in use by a group, or nil.
func pairOf(group string) *buffers {
	shared.Lock()
	defer shared.Unlock()
	for _, b := range shared.bySize {
		if strings.TrimPrefix(group, "ws=") == strings.TrimPrefix(name("", b.ws), "Switch/kind=/ws=") {
			return b
		}
	}
	return nil
}

// counts checks that all lines were touched equally often and nothing else
// was, and returns how often.
func counts(t *testing.T, buf []uint64) uint64 {
	t.Helper()
	if len(buf) == 0 {
		return 0
	}
	for i, v := range buf {
		switch {
		case i%8 == 0 && v != buf[0]:
			t.Fatalf("line %d was touched %d times, line 0 %d times", i/8, v, buf[0])
		case i%8 != 0 && v != 0:
			t.Fatalf("word %d is %d, want 0", i, v)
		}
	}
	return buf[0]
}

func TestCasesOfAGroupShareMemory(t *testing.T) {
	a, err := acquire(4096)
	if err != nil {
		t.Fatal(err)
	}
	b, err := acquire(4096)
	if err != nil {
		t.Fatal(err)
	}
	if &a.ours[0] != &b.ours[0] || len(a.ours)*8 != 4096 || len(a.theirs)*8 != 4096 {
		t.Error("two cases got different buffers, or of a wrong size")
	}
	a.release()
	touch(b.theirs) // still there
	b.release()
	if len(shared.bySize) != 0 {
		t.Error("buffers stay after the last release")
	}
}

func TestTripsLoseNoSwitch(t *testing.T) {
	var tr trips
	switches, rounds := 0, 0
	for _, n := range []int{1, 1, 1, 3, 2, 5, 8, 1} {
		switches += n
		rounds += tr.of(n)
		if d := 2*rounds - switches; d != 0 && d != 1 {
			t.Fatalf("%d round trips for %d switches", rounds, switches)
		}
	}
}
