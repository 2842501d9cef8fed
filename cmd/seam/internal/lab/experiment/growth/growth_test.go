//seam:test race arm64

package growth

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

func TestNamesAreFixed(t *testing.T) {
	names := map[lab.Mode][]string{}
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		bases := map[string]int{}
		for _, c := range Experiment.Cases(mode) {
			if slices.Contains(names[mode], c.Name) {
				t.Errorf("%v: %s appears twice", mode, c.Name)
			}
			names[mode] = append(names[mode], c.Name)
			if (c.Setup == nil) == (c.Probe == nil) || c.Label == "" || c.Procs != 1 || (c.Setup == nil) != (c.Group == "") {
				t.Errorf("bad case %+v", c)
			}
			if c.Base {
				bases[c.Group]++
			}
			if c.Base != strings.HasSuffix(c.Name, "/state=first") {
				t.Errorf("%s: base is %v", c.Name, c.Base)
			}
		}
		for group, n := range bases {
			if n != 1 {
				t.Errorf("%v: group %q has %d bases", mode, group, n)
			}
		}
	}
	for _, n := range names[lab.Quick] {
		if !slices.Contains(names[lab.Normal], n) {
			t.Errorf("%s is in quick runs only", n)
		}
	}
	for _, want := range []string{
		"Growth/to=4096/state=first", "Growth/to=4096/state=again", "Growth/to=16777216/state=first/goroutine=fresh",
		"Growth/to=16777216/state=again/goroutine=same", "Growth/to=1048576/state=first/pointers=few", "Growth/to=1048576/state=first/pointers=many",
		"Growth/to=1048576/state=first/frames=many", "Growth/to=16777216/state=first/memory=new", "Growth/to=16777216/what=copy",
		"Growth/to=16777216/what=make", "Growth/shrink/from=1048576",
	} {
		if !slices.Contains(names[lab.Quick], want) {
			t.Errorf("no case %s", want)
		}
	}
	if !slices.Contains(names[lab.Normal], "Growth/to=16777216/state=first/frames=many") || len(names[lab.Full]) != len(names[lab.Normal]) {
		t.Error("a longer run lacks cases")
	}
}

// Every filling, at every size: the stack is doubled as often as it takes, the last time in
// the call that is timed.
func TestTheLastCallDoublesTheStack(t *testing.T) {
	for _, size := range all {
		for _, s := range fillings {
			if size > 1<<20 && s.shape != plain {
				continue // seconds, with the race detector
			}
			t.Run(bytes(size)+" "+s.label, func(t *testing.T) {
				depth, err := ready(size, roomClock)
				labtest.Measured(t, err)
				defer stopIdle()
				defer quiet()()
				d := &descent{shape: s.shape, depth: depth, do: grow}
				alone(d)
				if d.moved != 1 {
					t.Errorf("the stack moved %d times in the call, want 1", d.moved)
				}
				if d.used > depth+roomClock || d.used+roomStep+roomClock < depth {
					t.Errorf("%d bytes in use, want about %d", d.used, depth)
				}
				d.check(size, 1)
				wayTo(size).check(d)
			})
		}
	}
}

// A frame that alone needs several doublings takes one growth: that is why descents go down by
// frames no larger than what is above them.
func TestOneLargeFrameSkipsDoublings(t *testing.T) {
	startIdle()
	defer stopIdle()
	if startSize() > largest/4 {
		t.Skip("goroutines start with stacks too large to tell")
	}
	moves := make(chan int)
	go func() {
		var first byte
		d := &descent{last: address(&first), do: park, wait: func() {}}
		bytesFrame[[largest]byte](d, &first)
		moves <- d.moves
	}()
	if n := <-moves; n != 1 {
		t.Errorf("the stack moved %d times, want 1", n)
	}
}

// The runtime's own account agrees that the stacks have the size that is said.
func TestStacksHaveTheirSize(t *testing.T) {
	const size, n = 1 << 20, 8
	depth, err := ready(size, roomClock)
	labtest.Measured(t, err)
	defer stopIdle()
	defer quiet()()
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.StackInuse
	}
	before := inUse()
	parked, leave, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	for range n {
		go func() {
			d := &descent{depth: depth, do: grow}
			d.run()
			parked <- struct{}{}
			<-leave
			done <- struct{}{}
		}()
		<-parked
	}
	each := float64(inUse()-before) / n
	close(leave)
	for range n {
		<-done
	}
	if each < 0.95*size || each > 1.05*size {
		t.Errorf("a stack takes %v bytes, want %d", each, size)
	}
}

// A goroutine starts with the smallest stack among idle ones, however much others use.
func TestCrowdKeepsTheStartSmall(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	startIdle()
	small := startSize()
	d := &descent{depth: 100 << 10, do: park}
	parked, leave := make(chan struct{}), make(chan struct{})
	d.wait = func() { close(parked); <-leave }
	go d.run()
	<-parked
	startIdle() // a second user finds them there
	runtime.GC()
	if got := startSize(); got != small || small > 16<<10 {
		t.Errorf("goroutines start with %d bytes, with %d before", got, small)
	}
	close(leave)
	stopIdle()
	stopIdle()
	labtest.NoMoreGoroutines(t, goroutines)
}

func TestTimedCases(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Setup == nil || !strings.Contains(c.Name, "to=8192/") && !strings.Contains(c.Name, "to=262144/") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			op, err := c.Setup()
			labtest.Measured(t, err)
			defer op.Close()
			if op.Time == nil {
				op.Run(1)
				return
			}
			for _, n := range []int{1, 3} {
				if took := op.Time(n); took <= 0 {
					t.Errorf("%d of them took %v", n, took)
				}
			}
		})
	}
	labtest.NoMoreGoroutines(t, goroutines)
}

func TestOtherPricesAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		d       descent
		moves   int
		refused bool
	}{
		{"a growth", descent{moved: 1, used: 31_000}, 1, false},
		{"no growth where there was to be one", descent{moved: 0, used: 31_000}, 1, true},
		{"a growth where there was to be none", descent{moved: 1, used: 31_000}, 0, true},
		{"one to half of the size", descent{moved: 1, used: 15_000}, 1, true},
		{"one to twice the size", descent{moved: 1, used: 33_000}, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if v := recover(); (v != nil) != tt.refused {
					t.Errorf("panic: %v, want one: %v", v, tt.refused)
				}
			}()
			tt.d.check(64<<10, tt.moves)
		})
	}
}

func TestWrongWaysAreRefused(t *testing.T) {
	w := way{size: 64 << 10, few: 4, many: 5}
	for moves, refused := range map[int]bool{0: true, 3: true, 4: false, 5: false, 6: true} {
		func() {
			defer func() {
				if v := recover(); (v != nil) != refused {
					t.Errorf("%d moves: panic: %v, want one: %v", moves, v, refused)
				}
			}()
			w.check(&descent{moves: moves})
		}()
	}
}

func TestReserved(t *testing.T) {
	for _, tt := range []struct {
		edges []uintptr
		want  uintptr
	}{
		{[]uintptr{1041, 3120, 7100, 15400, 31800, 64500}, 1092},
		{[]uintptr{90, 2100, 6200, 14400}, 1992}, // -race
		{[]uintptr{1041}, 0},
		{nil, 0},
	} {
		if got, err := reserved(tt.edges); got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("%d: %d, %v; want %d", tt.edges, got, err, tt.want)
		}
	}
}

func TestWhatCantBeDoubledIsNotMeasured(t *testing.T) {
	startIdle()
	defer stopIdle()
	var nm *lab.NotMeasured
	if _, err := edge(startSize(), roomClock); !errors.As(err, &nm) || !strings.Contains(nm.Reason, "start with a stack of") {
		t.Errorf("growing to the size that a stack starts with: %v", err)
	}
	if _, err := edge(2*startSize(), startSize()); !errors.As(err, &nm) || !strings.Contains(nm.Reason, "keeps too much of a stack") {
		t.Errorf("no room at all: %v", err)
	}
}

func TestProbes(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for _, tt := range []struct {
		name  string
		probe func() ([]lab.Metric, error)
		want  []string // name and unit
	}{
		{startName, func() ([]lab.Metric, error) { return probeStart(t.Context(), nil) }, []string{" B"}},
		{factsName(1 << 20), func() ([]lab.Metric, error) { return probeFacts(lab.Quick, 1<<20) },
			[]string{usedName(1<<20) + " B", framesName(1<<20, "") + " count", framesName(1<<20, framesPart) + " count"}},
		{shrinkName(32 << 10), func() ([]lab.Metric, error) { return probeShrink(t.Context(), 32<<10) },
			[]string{" ns/shrink", shrinkName(32<<10) + "/state=first gc-ns", shrinkName(32<<10) + "/state=again gc-ns", shrinkName(32<<10) + "/what=used B"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := tt.probe()
			labtest.Measured(t, err)
			values := map[string]float64{}
			for _, m := range found {
				if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
					t.Errorf("bad metric %+v", m)
				}
				values[m.Name+" "+m.Unit] = m.Value
			}
			for _, name := range tt.want {
				if _, ok := values[name]; !ok {
					t.Errorf("no metric %q in %v", name, values)
				}
			}
			few, many := values[framesName(1<<20, "")+" count"], values[framesName(1<<20, framesPart)+" count"]
			if strings.Contains(tt.name, "facts") && many < 10*few {
				t.Errorf("%v small frames, %v large ones", many, few)
			}
			// Memory used before may have no faults, or as many: others may have it now.
			old, ok := values[faultsName(growName(1<<20))+" faults/op"]
			if fresh := values[faultsName(newName(1<<20))+" faults/op"]; ok && (fresh < 1 || old < 0) {
				t.Errorf("%v page faults with new memory, %v without", fresh, old)
			}
		})
	}
	labtest.NoMoreGoroutines(t, goroutines)
}

func TestCancelledProbeLeavesNothing(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := probeShrink(ctx, 1<<20); !errors.Is(err, context.Canceled) {
		labtest.Measured(t, err)
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	labtest.NoMoreGoroutines(t, goroutines)
}

// Where the collector has been told not to shrink stacks, or stacks to start with their
// smallest size, the process is to notice, and be as right as any.
func TestSettingsOfTheRuntime(t *testing.T) {
	if setting := os.Getenv("GROWTH_TEST_SETTING"); setting != "" {
		_, err := probeShrink(t.Context(), 32<<10)
		var nm *lab.NotMeasured
		if off := errors.As(err, &nm) && strings.Contains(nm.Reason, "gcshrinkstackoff"); off != (setting == "gcshrinkstackoff=1") {
			t.Errorf("%s: %v", setting, err)
		}
		return
	}
	for _, setting := range []string{"gcshrinkstackoff=1", "adaptivestackstart=0"} {
		command := append(strings.Fields(os.Getenv("SEAM_TEST_EMULATOR")), os.Args[0], "-test.run=^TestSettingsOfTheRuntime$")
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "GODEBUG="+setting, "GROWTH_TEST_SETTING="+setting)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", setting, err, out)
		}
	}
}

func TestWhatIsCopiedHasBeenWritten(t *testing.T) {
	b := written(1 << 20)
	for at := 0; at < len(b); at += pageSize {
		if b[at] == 0 {
			t.Fatalf("nothing was written at %d", at)
		}
	}
}
