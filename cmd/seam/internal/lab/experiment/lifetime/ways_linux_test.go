//go:build cgo

package lifetime

import (
	"errors"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/mem"
)

// skipped ends a test that this machine can't run, with the reason.
func skipped(t *testing.T, err error) {
	t.Helper()
	if nm := (*lab.NotMeasured)(nil); errors.As(err, &nm) && mem.Status().Path == mem.PathDebug {
		t.Skip(nm.Reason)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every idiom finds the bytes that it should, and leaves no buffer in use: Close would
// panic.
func TestIdiomsFindTheirBytes(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name(), func(t *testing.T) {
			op, err := setup(w)
			skipped(t, err)
			for _, n := range []int{1, 0, 100} {
				op.Run(n)
			}
			op.Close()
		})
	}
}

// A wrong answer gives no price.
func TestWrongAnswerPanics(t *testing.T) {
	runs["wrong"] = func(*bench) uint64 { return 1 }
	defer delete(runs, "wrong")
	op, err := setup(way{idiom{key: "wrong", group: toC}, 128})
	skipped(t, err)
	defer op.Close()
	defer func() {
		if v := recover(); v == nil {
			t.Error("a wrong answer was priced")
		}
	}()
	op.Run(1)
}

func TestUnknownIdiom(t *testing.T) {
	if _, err := setup(way{idiom{key: "pigeon"}, 128}); err == nil || !strings.Contains(err.Error(), "pigeon") {
		t.Errorf("an idiom that isn't there: %v", err)
	}
}

// What is asked of malloc and of Go is what the idioms say of themselves.
func TestMemory(t *testing.T) {
	metrics, err := probeMemory()
	skipped(t, err)
	got := map[string]map[string]float64{}
	for _, m := range metrics {
		if got[m.Name] == nil {
			got[m.Name] = map[string]float64{}
		}
		got[m.Name][m.Unit] = m.Value
	}
	none := strings.Fields("cstring-free cbytes-free pointer noescape view registered malloc-free stack-noescape fill registered-fill arena handle")
	malloced := map[string]int{ // bytes beyond those that cross
		"cstring-free": 1, "cbytes-free": 0, "gobytes-free": 1, "gostring-free": 1, "malloc-free": 0, "cleanup": 0, "owner-view": 1,
	}
	for _, w := range ways() {
		m := got[w.name()]
		if len(m) != 3 {
			t.Errorf("%s: %v", w.name(), m)
			continue
		}
		for _, key := range none {
			if key == w.key && (m[unitAllocs] != 0 || m[unitGo] != 0) {
				t.Errorf("%s allocates: %v", w.name(), m)
			}
		}
		more, ok := malloced[w.key]
		if want := float64(w.bytes + more); ok && m[unitC] != want || !ok && m[unitC] != 0 {
			t.Errorf("%s asks malloc for %v bytes", w.name(), m[unitC])
		}
		if strings.HasPrefix(w.key, "go") && (m[unitAllocs] < 1 || m[unitGo] < float64(w.bytes)) {
			t.Errorf("%s copies into Go, and takes %v", w.name(), m)
		}
		if w.key == "stack-cgo" && m[unitGo] < float64(w.bytes) {
			t.Errorf("%s: the array is said to be on the stack: %v", w.name(), m)
		}
	}
}

// What is forgotten stays in RAM, and is given back in the end.
func TestLeak(t *testing.T) {
	for _, n := range sizes {
		metrics, err := probeLeak(n)
		if err != nil {
			t.Fatal(err)
		}
		if v := metrics[0].Value; v < float64(n)/2 || v > float64(4*n) {
			t.Errorf("a forgotten string of %d bytes takes %v", n, v)
		}
	}
}
