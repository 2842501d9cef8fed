//seam:test race nocgo

package barrier

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

func TestNamesAreFixed(t *testing.T) {
	for mode, timed := range map[lab.Mode]string{lab.Quick: "n=1000/", lab.Normal: "n=10/ n=1000/ n=100000/", lab.Full: "n=10/ n=1000/ n=100000/"} {
		all := map[string]lab.Case{}
		for _, c := range Experiment.Cases(mode) {
			if _, twice := all[c.Name]; twice {
				t.Errorf("%v: %s appears twice", mode, c.Name)
			}
			all[c.Name] = c
			if c.Label == "" || (c.Setup == nil) == (c.Probe == nil) {
				t.Errorf("%v: bad case %s", mode, c.Name)
			}
			if c.Setup != nil && c.Base != strings.HasPrefix(c.Name, "Barrier/refs=none/") {
				t.Errorf("%v: %s: base is %v", mode, c.Name, c.Base)
			}
		}
		for _, k := range []string{"none", "go", "c", "c-opaque", "c-uintptr", "cgo-handle", "mem-handle", "pin", "pin-all", "pool"} {
			for _, n := range []string{"n=10", "n=1000", "n=100000"} {
				if all["Barrier/refs="+k+"/"+n].Probe == nil {
					t.Errorf("%v: no collection with %s of %s", mode, n, k)
				}
			}
		}
		for _, n := range strings.Fields(timed) {
			for _, name := range []string{"none/" + n + "what=store", "pin/" + n + "what=store-marking", "pool/" + n + "what=renew"} {
				if all["Barrier/refs="+name].Setup == nil {
					t.Errorf("%v: no case %s", mode, name)
				}
			}
		}
		if all["Barrier/what=profile"].Probe == nil {
			t.Errorf("%v: no profile", mode)
		}
	}
}

func TestTimedCasesRun(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Setup == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			op, err := c.Setup()
			labtest.Measured(t, err)
			defer nobodyIsLeft(t)
			defer op.Close()
			switch {
			case op.Time == nil:
				op.Run(1)
				op.Run(max(2345, op.N))
			case op.Time(op.N) <= 0:
				t.Errorf("%d stores take no time", op.N)
			}
		})
	}
}

// nobodyIsLeft fails where a case has kept the heap that it shares with others.
func nobodyIsLeft(t *testing.T) {
	t.Helper()
	if n := populations.Len(); n > 0 {
		t.Errorf("%d populations are left", n)
	}
}

func TestEveryCollectionIsMeasured(t *testing.T) {
	for _, k := range kinds {
		for _, n := range []int{10, 1001} {
			t.Run(name(k.name, n), func(t *testing.T) {
				percent := debug.SetGCPercent(77)
				defer debug.SetGCPercent(percent)
				found, err := probeTurns(t.Context(), k, n, 2)
				if now := debug.SetGCPercent(77); now != 77 {
					t.Errorf("GOGC is %d behind the probe, was 77", now)
				}
				nobodyIsLeft(t)
				labtest.Measured(t, err)
				times := map[string]int{}
				for _, m := range found {
					if m.Name == "" {
						m.Name = name(k.name, n)
					}
					if m.Label == "" || m.Value < 0 {
						t.Errorf("bad metric %+v", m)
					}
					times[m.Name+" "+m.Unit]++
				}
				for _, unit := range []string{unitWall, unitMark, unitPause, unitLong} {
					for _, of := range []string{costName(k.name, n, unit), besideName(k.name, n, unit)} {
						if times[of+" "+unit] != 2 {
							t.Errorf("%s is there %d times in %s, want twice", of, times[of+" "+unit], unit)
						}
					}
				}
				if times[name(k.name, n)+" "+unitMemory] != 2 {
					t.Error("no bytes of a reference")
				}
			})
		}
	}
}

// What is stored is what the slots have; what is renewed is there again.
func TestColumnsHoldTheirValues(t *testing.T) {
	live, release := populate(25)
	defer release()
	c := &column[*object]{slots: make([]*object, 25), values: live.objects}
	c.store(7)
	for i, o := range c.slots {
		if want := i < 7; (o == live.objects[i]) != want {
			t.Errorf("slot %d after 7 stores: filled is %v, want %v", i, !want, want)
		}
	}
	c.store(25)
	for range 5 {
		c.renew(13)
		for i, o := range c.slots {
			if o != live.objects[i] {
				t.Fatalf("slot %d is not what was stored there", i)
			}
		}
	}
	if c.at != 5*13%25 {
		t.Errorf("the next to be renewed is %d", c.at)
	}
}

// References keep their objects alive for as long as they are held, and no longer.
func TestHeldObjectsLive(t *testing.T) {
	for _, name := range []string{kindGo, kindCgoHandle, kindMemHandle, kindPin, kindPinAll} {
		t.Run(name, func(t *testing.T) {
			k := find(t, name)
			const n = 30
			live := &population{objects: make([]*object, n), numbers: make([]uint64, n)}
			gone := make(chan int, n)
			for i := range live.objects {
				live.objects[i] = &object{next: new(object)}
				runtime.AddCleanup(live.objects[i].next, func(i int) { gone <- i }, i)
			}
			h, err := k.hold(live, n)
			labtest.Measured(t, err)
			h.renew(7)
			h.renew(n)
			runtime.GC()
			runtime.GC()
			select {
			case i := <-gone:
				t.Errorf("object %d is gone while it is held", i)
			default:
			}
			h.close()
			h, live = nil, nil
			for left, end := n, time.After(150*time.Second); left > 0; left-- {
				runtime.GC()
				select {
				case <-gone:
				case <-end:
					t.Fatalf("%d of %d objects are still there", left, n)
				}
			}
		})
	}
}

func find(t *testing.T, name string) kind {
	t.Helper()
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("no kind %s", name)
	return kind{}
}

func TestProbesEndWhenAsked(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	b := lab.NewBench(lab.Full, 1)
	for _, probe := range []func(context.Context, *lab.Bench) ([]lab.Metric, error){probeCollection(kinds[0], 100), probeProfile} {
		if _, err := probe(gone, b); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
		nobodyIsLeft(t)
	}
}

func TestProfileIsOfTheStores(t *testing.T) {
	for _, k := range kinds {
		if !k.barrier {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			tree, found, err := profileStores(t.Context(), k, 1000, 150*time.Millisecond)
			labtest.Measured(t, err) // also where profiles have no signals
			if len(found) != 1 || found[0].Value < 1 {
				t.Errorf("found %+v", found)
			}
			if err := tree.Check(); err != nil || tree.Total() <= 0 || tree.Name != name(k.name, 1000)+"/what=profile" {
				t.Errorf("profile %s of %v, error %v", tree.Name, tree.Total(), err)
			}
			nobodyIsLeft(t)
		})
	}
}

func TestDearestHasABarrier(t *testing.T) {
	k, err := dearest(t.Context(), 100)
	if err != nil || !k.barrier {
		t.Errorf("%+v, error %v", k, err)
	}
}

func TestAccountTellsTheLongestPause(t *testing.T) {
	old := readTotals()
	mark, long := old.since(old)
	if mark != 0 || long != 0 {
		t.Errorf("nothing happened, yet %v ns were marked and %v ns paused", mark, long)
	}
	runtime.GC()
	if _, long = readTotals().since(old); long <= 0 {
		t.Errorf("a collection with a longest pause of %v ns", long)
	}
}
