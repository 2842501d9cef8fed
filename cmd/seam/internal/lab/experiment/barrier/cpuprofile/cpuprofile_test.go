package cpuprofile

import (
	"errors"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		function string
		caller   Kind
		want     Kind
	}{
		{"main.main", Go, Go},
		{"example.org/x/runtime.f", Go, Go},
		{"gcWriteBarrier", Go, Barrier},
		{"runtime.wbBufFlush1", Runtime, Barrier},
		{"runtime.systemstack", Barrier, Barrier},
		{"internal/runtime/atomic.(*Uint32).Add", Mark, Mark},
		{"runtime.gcBgMarkWorker", Runtime, Mark},
		{"runtime.schedule", Go, Runtime},
		{"runtime.findRunnable", Runtime, Runtime},
		{"runtime.bgsweep", Go, Sweep},
		{"runtime.cgocall", Go, C},
		{"inflate", C, C},
		{"malloc", Go, C},
		{"runtime.cgocallback", C, C},
		{"main.exported", C, Go},
		{unnamed, Runtime, C},
	} {
		if got := KindOf(tt.function, tt.caller); got != tt.want {
			t.Errorf("%s, called by %v, is %v; want %v", tt.function, tt.caller, got, tt.want)
		}
	}
}

func TestShortNames(t *testing.T) {
	for long, want := range map[string]string{
		"main.main":                               "main.main",
		"github.com/a/b.f":                        "b.f",
		"github.com/a/b.(*T).m":                   "b.(*T).m",
		"github.com/a/b.f[github.com/c/d.T]":      "b.f[github.com/c/d.T]",
		"github.com/a/b.(*T[go.shape.uint8]).m.f": "b.(*T[go.shape.uint8]).m.f",
		"printf": "printf",
	} {
		if got := short(long); got != want {
			t.Errorf("%s is %s, want %s", long, got, want)
		}
	}
}

// sampled makes a profile of stacks, the innermost function first.
func sampled(stacks ...[]string) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	for _, stack := range stacks {
		s := &profile.Sample{Value: []int64{2, 20e6}}
		for _, name := range stack {
			l := &profile.Location{}
			if name != "" {
				l.Line = []profile.Line{{Function: &profile.Function{Name: name}}}
			}
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func TestFold(t *testing.T) {
	p := sampled([]string{"runtime.wbBufFlush", "x/y.store", "main.main"}, []string{"x/y.store", "main.main"}, []string{"", "main.main"}, []string{"main.other"})
	// Inlined: the function that was is a line before its caller.
	p.Sample[1].Location[0].Line = []profile.Line{{Function: &profile.Function{Name: "x/y.inlined"}}, {Function: &profile.Function{Name: "x/y.store"}}}
	tree, samples := Fold(p, "a", "label", func(stack []string) bool { return stack[0] == "main.main" })
	if err := tree.Check(); err != nil {
		t.Fatal(err)
	}
	if samples != 6 || tree.Unit != "ns" || tree.Name != "a" || tree.Label != "label" {
		t.Errorf("%d samples, %+v", samples, tree)
	}
	want := []result.Frame{
		{Function: "main.main", Parent: -1, Kind: int(Go), Value: 60e6},
		{Function: "y.store", Parent: 0, Kind: int(Go), Value: 40e6},
		{Function: "runtime.wbBufFlush", Parent: 1, Kind: int(Barrier), Value: 20e6},
		{Function: "y.inlined", Parent: 1, Kind: int(Go), Value: 20e6},
		{Function: unnamed, Parent: 0, Kind: int(C), Value: 20e6},
	}
	if len(tree.Frames) != len(want) {
		t.Fatalf("frames are %+v", tree.Frames)
	}
	for i, f := range tree.Frames {
		if f != want[i] {
			t.Errorf("frame %d is %+v, want %+v", i, f, want[i])
		}
	}
	if _, samples := Fold(&profile.Profile{}, "a", "", nil); samples != 0 {
		t.Errorf("a profile of nothing has %d samples", samples)
	}
}

func TestFoldOfADeepStack(t *testing.T) {
	stack := make([]string, 500)
	for i := range stack {
		stack[i] = "main.f"
	}
	tree, _ := Fold(sampled(stack), "deep", "", nil)
	if err := tree.Check(); err != nil || len(tree.Frames) != result.MaxDepth {
		t.Errorf("%d frames, error %v", len(tree.Frames), err)
	}
}

var sink int

func TestRecord(t *testing.T) {
	p, err := Record(func() error {
		for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
			for i := range 1000 {
				sink += i
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tree, samples := Fold(p, "test", "", nil)
	if err := tree.Check(); err != nil {
		t.Error(err)
	}
	if samples == 0 {
		t.Skip("the signals of CPU profiles don't get through here")
	}
	wrong := errors.New("wrong")
	if _, err := Record(func() error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("error is %v", err)
	}
	if _, err := Record(func() error { _, err := Record(func() error { return nil }); return err }); err == nil {
		t.Error("two profiles at the same time")
	}
}
