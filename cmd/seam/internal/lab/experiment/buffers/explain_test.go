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
