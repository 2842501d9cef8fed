//go:build cgo && unix

package offload_test

import (
	"encoding/json"
	"expvar"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

func TestStats(t *testing.T) {
	p := start(t, offload.Options{Threads: 1, Name: "stats"})
	g := newGate()
	t.Cleanup(g.open)
	hold := offload.Of[ctest.Gate]("hold", ctest.GateFn)
	first := make(chan outcome, 1)
	go func() {
		result, err := hold.Call(background, p, &g.Gate)
		first <- outcome{result, err}
	}()
	eventually(t, "C runs", func() bool { return g.entered() == 1 })
	second := begin(background, p, ctest.TokenFn, nil)
	eventually(t, "a call is queued", func() bool { return p.Stats().Queued == 1 })
	// C that does not return shows.
	eventually(t, "it has been running for 10 ms", func() bool { return p.Stats().Longest >= 10*time.Millisecond })
	s := p.Stats()
	if s.Name != "stats" || s.Threads != 1 || s.Busy != 1 || s.Queued != 1 || s.Done != 0 || s.LongestFunc != "hold" || s.Ran != 0 {
		t.Errorf("with a call in C the figures are %v", s)
	}
	g.open()
	want(t, first, 0, nil)
	want(t, second, 0, nil)
	s = p.Stats()
	if s.Busy != 0 || s.Queued != 0 || s.Done != 2 || s.Longest != 0 || s.LongestFunc != "" {
		t.Errorf("afterwards the figures are %v", s)
	}
	if s.MaxRan < 10*time.Millisecond || s.Ran < s.MaxRan || s.MaxWaited <= 0 || s.Waited < s.MaxWaited {
		t.Errorf("afterwards the times are %v", s)
	}
}

func TestStatsAreJSON(t *testing.T) {
	p := start(t, offload.Options{Name: `a "name"`})
	want(t, begin(background, p, ctest.AddFn, unsafe.Pointer(&ctest.Add{})), 0, nil)
	text := expvar.Func(func() any { return p.Stats() }).String()
	var got offload.Stats
	if err := json.Unmarshal([]byte(text), &got); err != nil || got != p.Stats() {
		t.Errorf("%s reads as %+v, %v", text, got, err)
	}
}
