//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"context"
	"go/version"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/offload"
)

// settings draws the environment of a seed's program: what can only be chosen before it
// starts.
func settings(seed uint64) (list []string) {
	r := rand.New(rand.NewPCG(seed, 1<<32))
	for _, s := range []struct {
		set  string
		each int // in so many programs
	}{
		{"SEAM_MEM=debug", 4},
		{"SEAM_CORO=cgo", 8},
		{"SEAM_OFFLOAD=cgo", 6},
		{"SEAM_LEAF=cgo", 12},
		{"SEAM_GUARD=1", 8},
		{"GOGC=5", 5},
	} {
		if r.IntN(s.each) == 0 {
			list = append(list, s.set)
		}
	}
	debug := []string{"", "", "", "asyncpreemptoff=1", "cgocheck=1", "asynctimerchan=1", "gcstoptheworld=1", "invalidptr=1", "tracebackancestors=5"}
	removed := version.Compare(runtime.Version(), "go1.27") >= 0 // asynctimerchan is
	if d := debug[r.IntN(len(debug))]; d != "" && !(removed && d == "asynctimerchan=1") {
		list = append(list, "GODEBUG="+d)
	}
	return list
}

// program is a whole one: workers that go through trees of operations, and storms.
func program(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2<<32))
	list := weather(r)
	scarce := slices.ContainsFunc(list, func(s storm) bool { return s.scarce })
	names := []string{}
	for _, s := range list {
		names = append(names, s.name)
	}
	workers, trees := 1+r.IntN(12), 4+r.IntN(20)
	t.Logf("seed %d: %d workers with %d trees each; storms: %q", seed, workers, trees, names)
	t.Logf("coro: %v; offload: %v; leaf: %v; mem: %v", coro.Status(), offload.Status(), leaf.Status(), mem.Status())

	warmUp(t)
	before := descriptors(t)
	m := newMachine(t, scarce)
	calm := blow(m, list, seed)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			a := newArtist(seed, uint64(w))
			for range trees {
				tree := a.tree()
				if os.Getenv("SEAM_TORTURE_DRAW") != "" {
					t.Logf("worker %d:\n%v", w, tree)
				}
				m.run(context.Background(), tree)
				if t.Failed() {
					t.Logf("worker %d had:\n%v", w, tree)
					return
				}
			}
		})
	}
	wg.Wait()
	calm()
	runtime.GOMAXPROCS(maxProcs) // all of them
	for m.cleaned.Load() != m.cleanups.Load() && !t.Failed() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	m.close()
	// Coro keeps up to 64 eventfds, and there are a few pollers.
	if now := descriptors(t); now > before+64+16 {
		t.Errorf("%d descriptors are open, %d were before", now, before)
	}
}

// warmUp starts what Go starts only once, and can't do without: its poller.
func warmUp(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
