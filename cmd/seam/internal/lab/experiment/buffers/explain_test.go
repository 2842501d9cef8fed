package buffers

import (
	"math"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// experiment is what the lab makes of figures: five processes of three blocks,
// and each case against the stack of its group.
func experiment(mode lab.Mode, ns map[string]float64) *result.Experiment {
	e := &result.Experiment{Name: "buffers", Rounds: 5}
	for _, c := range Experiment.Cases(mode) {
		v, ok := ns[c.Name]
		if !ok {
			continue
		}
		s := result.Series{Name: c.Name, Unit: nsPerOp, Label: c.Label, Group: c.Group, Median: v, Lo: v, Hi: v}
		if c.Probe != nil {
			s.Unit = "B"
		}
		for i := range 30 {
			s.Samples = append(s.Samples, result.Sample{Round: i / 6, Block: i / 2 % 3, N: 1, Value: wobble(v, c.Name, i)})
		}
		e.Series = append(e.Series, s)
	}
	f := analysis{lab.Analysis{Experiment: e}}
	bases := map[string]map[result.Block]float64{}
	for _, c := range Experiment.Cases(mode) {
		if c.Base {
			bases[c.Group] = f.blocks(c.Name)
		}
	}
	for _, c := range Experiment.Cases(mode) {
		blocks := result.Paired(f.blocks(c.Name), bases[c.Group])
		if c.Base || len(blocks) == 0 {
			continue
		}
		r := stats.Compare(blocks, lab.Margin, 1)
		e.Comparisons = append(e.Comparisons, result.Comparison{Name: c.Name, Base: c.Name, Unit: nsPerOp,
			Ratio: r.Ratio, Lo: r.Lo, Hi: r.Hi, Blocks: r.Blocks, Verdict: string(r.Verdict)})
	}
	return e
}

// wobble moves a figure by up to 1 %, differently in each process.
func wobble(v float64, name string, i int) float64 {
	return v * (1 + 0.004*float64((i/6+len(name))%5-2) + 0.001*float64(i%3-1))
}

// quiet is what a quiet machine gives: the pool costs 400 ns more than the stack
// of a slice that is kept, and clearing 1 ns for 20 bytes.
func quiet() map[string]float64 {
	ns := map[string]float64{startName: 2048}
	for _, s := range situations {
		for _, size := range sizes {
			v := float64(size)
			work := v / 10
			if s.io {
				work += 3000
			}
			set := func(from string, more float64) {
				switch s.state {
				case stateFresh:
					more += 300
					if from == fromStack {
						more += v / 40
					}
				case stateGC:
					more += v / 5
					switch from {
					case fromStack:
						more += v / 2
					case fromPool:
						more += 2000 + v/20
					}
				}
				ns[s.name(from, size)] = work + more
			}
			set(fromReuse, 0)
			set(fromStack, v/20)
			set(fromPool, 400)
			set(fromFreelist, 450+v/30)
			set(fromMake, 1000+v/4)
			if s.all {
				continue
			}
			if s.state == stateFresh {
				ns[s.name(fromNone, size)] = 300
			}
			if s.state == stateWarm {
				ns[s.clearedOnce(size)] = work
				if !s.io {
					ns[s.uncollected(size)] = work + 500 + v/8
				}
			}
		}
	}
	return ns
}

func TestExplain(t *testing.T) {
	e := experiment(lab.Normal, quiet())
	explain(e)
	text := labtest.Said(e)
	for _, want := range []string{
		"Warm goroutine, without system calls, on this machine: stack below 7.8 KB (", // 400 ns are 8000 bytes of clearing
		", pool above, never make or a free list.",
		"Warm goroutine, with system calls, on this machine: stack below",
		"Fresh goroutine, without system calls, on this machine: stack below 5.",
		"Right after a collection, without system calls, on this machine: stack below 4.8 KB (",
		", pool above. Faster than both: make at 4 KB and a free list at 4 to 128 KB.", // the pool is empty, and filling it takes two allocations and more
		"Warm goroutine, all processors busy, with system calls, on this machine:",
		"A slice that a warm goroutine keeps is faster than an array on its stack: it takes 0.6",
		"Two buffers of 64 KB without system calls: work 6.55 µs",
		"clearing two arrays 3.28 µs",
		"starting the goroutine 300 ns",
		"growth of a fresh stack 1.6",
		"cold caches after a collection 13.1 µs",
		"growth of a stack that two collections have shrunk 32.",
		"refilling a pool that two collections have emptied 5.7",
		"Two buffers of 64 KB without system calls, make beyond the work: allocating and clearing 8.7",
		"; collecting 8.6",
		"The published benchmark (2020, Go 1.13.8), pool over stack: 1.0",
		"at 4 KB (published 0.992×)",
		"(published: 10 %, 120 ms of 1.25 s)",
		"GOGC",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "adaptivestackstart") {
		t.Error("a warning of large starting stacks, where they have 2 KB")
	}
	c := e.Find("Buffers/what=crossing/state=warm/io=none", "B")
	if c == nil || c.Median < 7500 || c.Median > 9000 || c.Lo > 8000 || c.Hi < 8000 || c.Lo <= 4096 || c.Hi >= 16384 {
		t.Errorf("the crossing is %+v, want 8000 bytes within its interval", c)
	}
	if len(e.Yardsticks) != len(sizes) {
		t.Errorf("yardsticks are %v", e.Yardsticks)
	}
	kinds := map[result.ChartKind]int{}
	for _, c := range e.Charts {
		kinds[c.Kind]++
	}
	if kinds[result.Lines] != 2 || kinds[result.Stacked] != 2 || kinds[result.Grid] != 1 {
		t.Errorf("charts are %v", kinds)
	}
}

// One way may be the better one everywhere, as far as anything is proven.
func TestExplainWithoutCrossing(t *testing.T) {
	for name, tt := range map[string]struct {
		pool func(size int) float64 // over the stack
		want string
	}{
		"pool":     {func(int) float64 { return 0.7 }, "pool from 4 to 128 KB, never make"},
		"stack":    {func(int) float64 { return 1.3 }, "stack from 4 to 128 KB, never make"},
		"equal":    {func(int) float64 { return 1 }, "stack or pool, no difference is shown from 4 to 128 KB"},
		"at first": {func(size int) float64 { return 1 + 2e3/float64(size) }, "stack at 4 to 64 KB, not clear at 128 KB, never make"},
	} {
		ns := quiet()
		for name := range ns { // the others take their time
			if !strings.Contains(name, "/state=warm/io=none") || strings.Contains(name, "/procs=") {
				delete(ns, name)
			}
		}
		s := situation{state: stateWarm}
		for _, size := range sizes {
			ns[s.name(fromPool, size)] = tt.pool(size) * ns[s.name(fromStack, size)]
		}
		e := experiment(lab.Quick, ns)
		explain(e)
		if text := labtest.Said(e); !strings.Contains(text, "Warm goroutine, without system calls, on this machine: "+tt.want) {
			t.Errorf("%s: nothing says %q in\n%s", name, tt.want, text)
		}
	}
}

// What is not known is not said, and nothing falls over.
func TestExplainWithoutSomeFigures(t *testing.T) {
	empty := experiment(lab.Quick, nil)
	explain(empty)
	labtest.SaysNothing(t, empty)
	for _, gone := range []string{"/from=stack/", "/from=pool/", "/from=make/", "/from=reuse/", "/from=none/", "/zero=once", "/gc=off", "/state=warm", "/state=gc", "/io=none", "/size=65536/", "/"} {
		ns := quiet()
		for name := range ns {
			two := strings.Contains(name, "/size=16384/") || strings.Contains(name, "/size=65536/") // more take their time
			if !two || strings.Contains(name, gone) {
				delete(ns, name)
			}
		}
		e := experiment(lab.Quick, ns)
		explain(e)
		for _, s := range e.Findings {
			if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || strings.Contains(s, "–)") {
				t.Errorf("without %s: %s", gone, s)
			}
		}
		if gone == "/from=pool/" && strings.Contains(labtest.Said(e), "pool above") {
			t.Errorf("without the pool it is still compared: %s", labtest.Said(e))
		}
	}
}

func TestExplainSaysWhichPartsAreNotShown(t *testing.T) {
	ns := quiet()
	s := situation{state: stateWarm}
	ns[s.clearedOnce(64<<10)] = ns[s.name(fromStack, 64<<10)]
	e := experiment(lab.Quick, ns)
	explain(e)
	if text := labtest.Said(e); !strings.Contains(text, "; not shown to take time: clearing two arrays.") {
		t.Errorf("it says\n%s", text)
	}
}

func TestExplainWarnsOfLargeStartingStacks(t *testing.T) {
	ns := quiet()
	ns[startName] = 16 << 10
	e := experiment(lab.Quick, ns)
	explain(e)
	if text := labtest.Said(e); !strings.Contains(text, "the figures of 4 KB may leave growth out.") {
		t.Errorf("it says\n%s", text)
	}
}

func TestExplainSaysWhatMovesToTheHeap(t *testing.T) {
	e := experiment(lab.Quick, quiet())
	for i := range e.Series {
		if s := &e.Series[i]; strings.HasPrefix(s.Name, "Buffers/from=stack/size=131072/") {
			*s = result.Series{Name: s.Name, Label: s.Label, NotMeasured: "an array of 128 KB moves to the heap with go1.99"}
		}
	}
	explain(e)
	if n := strings.Count(labtest.Said(e), "128 KB moves to the heap with go1.99"); n != 1 {
		t.Errorf("said %d times, want once", n)
	}
}

// Each bar is as long as the table says the operation takes, and nothing in it
// is a part that wasn't shown.
func TestPartsAddUp(t *testing.T) {
	const size = 64 << 10
	warm, fresh := situation{state: stateWarm}, situation{state: stateFresh}
	file := situation{state: stateWarm, io: true}
	for _, tt := range []struct {
		name   string
		change func(ns map[string]float64)
		of     situation
		from   string
		want   string // the parts of its bar
	}{
		{"all is known", nil, warm, fromMake, "work, allocating and clearing, collecting"},
		{"make is not split with system calls", nil, file, fromMake, "work, not split"},
		{"clearing is not shown", func(ns map[string]float64) { ns[warm.clearedOnce(size)] = ns[warm.name(fromStack, size)] }, warm, fromStack, "work"},
		{"growth is not shown", func(ns map[string]float64) { ns[fresh.name(fromStack, size)] = ns[warm.name(fromStack, size)] + 300 }, fresh, fromStack, "work, clearing, starting the goroutine"},
		{"parts are more than the whole", func(ns map[string]float64) { ns[fresh.name(fromNone, size)] = 5000 }, fresh, fromStack, "work, clearing, not split"},
		{"only the whole and the work", func(ns map[string]float64) { delete(ns, warm.uncollected(size)) }, warm, fromMake, "work, not split"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ns := quiet()
			if tt.change != nil {
				tt.change(ns)
			}
			f := analysis{lab.Analysis{Experiment: experiment(lab.Normal, ns)}}
			for _, io := range []bool{false, true} {
				for _, st := range f.partsChart(io).Stacks {
					sum := 0.0
					for _, p := range st.Parts {
						sum += p.Value
					}
					want := 0.0
					for _, s := range situations {
						for _, from := range froms {
							plain := s
							plain.io = false
							if s.io == io && !s.all && sourceLabels[from]+", "+plain.String() == st.Label {
								want = ns[s.name(from, size)]
							}
						}
					}
					if math.Abs(sum-want) > 1e-6*want {
						t.Errorf("%s, %s: parts add up to %v, want %v", st.Label, withWords(io), sum, want)
					}
				}
			}
			plain := tt.of
			plain.io = false
			var got []string
			for _, st := range f.partsChart(tt.of.io).Stacks {
				if st.Label != sourceLabels[tt.from]+", "+plain.String() {
					continue
				}
				for _, p := range st.Parts {
					if p.Value > 100 || p.Label != partRest { // a wobble may be left
						got = append(got, p.Label)
					}
				}
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("%s, %s: parts are %s, want %s", tt.from, tt.of, text, tt.want)
			}
		})
	}
}
