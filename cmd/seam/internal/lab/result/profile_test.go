package result

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func profileOf(stacks ...string) *Profile {
	p := &Profile{Name: "P", Label: "p", Unit: "ns", Kinds: []string{"x", "y"}}
	b := Build(p)
	for _, s := range stacks {
		path, value, _ := strings.Cut(s, " ")
		var v float64
		fmt.Sscan(value, &v)
		var calls []Call
		for _, f := range strings.Split(path, "/") {
			calls = append(calls, Call{f, len(f) % 2})
		}
		b.Add(v, calls...)
	}
	return p
}

// outline writes a profile as text.
func outline(p *Profile) string {
	var b strings.Builder
	path := make([]string, len(p.Frames))
	for i, f := range p.Frames {
		path[i] = f.Function
		if f.Parent >= 0 {
			path[i] = path[f.Parent] + "/" + f.Function
		}
		fmt.Fprintf(&b, "%s %v %s\n", path[i], f.Value, p.Kinds[f.Kind])
	}
	return b.String()
}

func TestProfileAddsUp(t *testing.T) {
	p := profileOf("a/b 3", "a/bb 4", "c 1", "a 2", "a/b/c 5")
	p.Bound(MaxFrames)
	if got, want := outline(p), "a 14 y\na/b 8 y\na/b/c 5 y\na/bb 4 x\nc 1 y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if p.Total() != 15 || !reflect.DeepEqual(p.Of(), []float64{4, 11}) || !reflect.DeepEqual(p.Self(), []float64{2, 3, 5, 4, 1}) {
		t.Errorf("total %v, of kinds %v, self %v", p.Total(), p.Of(), p.Self())
	}
}

func TestProfilesMerge(t *testing.T) {
	p := profileOf("a/b 3", "c 1")
	other := profileOf("a/d 2", "a/b 1", "ee/f 7")
	other.Kinds = []string{"z", "y"}
	p.Merge(other)
	if got, want := outline(p), "ee 7 z\nee/f 7 y\na 6 y\na/b 4 y\na/d 2 y\nc 1 y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

func TestProfileIsBounded(t *testing.T) {
	p := profileOf("a/b 50", "a/c 30", "a/d 10", "a/e/f 9", "g 8", "h 7")
	p.Bound(5)
	if got, want := outline(p), "a 99 y\na/b 50 y\na/c 30 y\na/(other) 19 y\n(other) 15 y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	before := outline(p)
	if p.Bound(5); outline(p) != before {
		t.Errorf("bounded twice:\n%s", outline(p))
	}
	// What was small before and what is small now is one rest.
	p.Merge(profileOf("a/x 1"))
	p.Bound(5)
	if got, want := outline(p), "a 100 y\na/b 50 y\na/c 30 y\na/(other) 20 y\n(other) 15 y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p = profileOf("a 10000", "b 1")
	p.Bound(5)
	if got, want := outline(p), "a 10000 y\n(other) 1 y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Whatever is added, the result is one that may be written, and nothing is lost.
func TestLargeProfilesAreBounded(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		p := &Profile{Name: "P", Unit: "ns", Kinds: []string{"x", "y"}}
		b := Build(p)
		for range chance.IntN(300) {
			stack := make([]Call, 1+chance.IntN(80))
			for i := range stack {
				stack[i] = Call{string(rune('a' + chance.IntN(4))), chance.IntN(2)}
			}
			b.Add(float64(chance.IntN(100)), stack...)
		}
		total := p.Total()
		for _, most := range []int{MaxFrames, 24, 1} {
			p.Bound(most)
			if err := p.Check(); err != nil || len(p.Frames) > most {
				t.Fatalf("%d frames of %d, error %v", len(p.Frames), most, err)
			}
			if p.Total() != total {
				t.Errorf("the total is %v behind, %v before", p.Total(), total)
			}
		}
	}
}

func TestProfilesThatAreRefused(t *testing.T) {
	deep := make([]Frame, MaxDepth+1)
	for i := range deep {
		deep[i] = Frame{Parent: i - 1}
	}
	for _, c := range []struct {
		name   string
		change func(*Experiment)
		want   string
	}{
		{"twice", func(e *Experiment) { e.Profiles = append(e.Profiles, e.Profiles[0]) }, `"P" appears twice`},
		{"no name", func(e *Experiment) { e.Profiles[0].Name = "" }, "without spaces"},
		{"no unit", func(e *Experiment) { e.Profiles[0].Unit = "n s" }, "without spaces"},
		{"too large", func(e *Experiment) { e.Profiles[0].Frames = make([]Frame, MaxFrames+1) }, "401 frames"},
		{"too deep", func(e *Experiment) { e.Profiles[0].Frames = deep }, "48 callers above it"},
		{"not a number", func(e *Experiment) { e.Profiles[0].Frames[0].Value = math.NaN() }, "value is NaN"},
		{"below 0", func(e *Experiment) { e.Profiles[0].Frames[1].Value = -1 }, "want 0 or more"},
		{"its own caller", func(e *Experiment) { e.Profiles[0].Frames[1].Parent = 1 }, "parent is 1"},
		{"no caller", func(e *Experiment) { e.Profiles[0].Frames[1].Parent = -2 }, "parent is -2"},
		{"kind", func(e *Experiment) { e.Profiles[0].Frames[1].Kind = 2 }, "kind is 2 of 2"},
		{"more than its caller", func(e *Experiment) { e.Profiles[0].Frames[1].Value = 5 }, "have more than it"},
		{"total", func(e *Experiment) {
			e.Profiles[0].Frames = []Frame{{Parent: -1, Value: math.MaxFloat64}, {Parent: -1, Value: math.MaxFloat64}}
		}, "total is +Inf"},
	} {
		r := example()
		r.Experiments[0].Profiles = []Profile{*profileOf("a/b 3")}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		c.change(&r.Experiments[0])
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
