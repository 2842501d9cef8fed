package leaks

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A history is how the blocks of one place came and went, as C records it.
type history struct {
	stack stack
	live  int
	end   time.Duration
}

// count does what seam_leaks_count does with the bins.
func (h *history) count(at time.Duration, made, freed int) {
	s := &h.stack
	s.Made, s.Freed = s.Made+uint64(made), s.Freed+uint64(freed)
	for uint64(at)>>s.Shift >= bins {
		for i := range bins {
			switch {
			case i >= bins/2:
				s.Bins[i] = 0
			case s.Bins[2*i+1] != 0:
				s.Bins[i] = s.Bins[2*i+1]
			default:
				s.Bins[i] = s.Bins[2*i]
			}
		}
		s.Shift++
	}
	h.live = int(s.Made - s.Freed)
	s.Bins[uint64(at)>>s.Shift] = uint32(h.live + 1)
	h.end = max(h.end, at)
}

// An event makes or frees blocks at a time.
type event struct {
	at          time.Duration
	made, freed int
}

// simulate makes one history of a kind: a program that runs for so long.
func simulate(kind string, wall time.Duration, r *rand.Rand) *history {
	var events []event
	add := func(at float64, made, freed int) {
		if at >= 0 && at < 1 {
			events = append(events, event{time.Duration(at * float64(wall)), made, freed})
		}
	}
	// users come and go as they like: n of them at a time, for so long each.
	users := func(n int, stay float64) {
		for at := -3 * stay; at < 1; at += r.ExpFloat64() * stay / float64(n) {
			add(max(at, 0.001), 1, 0)
			if leaves := at + r.ExpFloat64()*stay; leaves > 0.001 {
				add(leaves, 0, 1)
			} else {
				add(0.0011, 0, 1)
			}
		}
	}
	between := func(a, b float64) float64 { return a * math.Pow(b/a, r.Float64()) } // as many small ones as large ones
	switch kind {
	case "leak": // with what is in use beside it, and pauses
		for at, rate := 0.0, between(40, 5000); at < 1; at += r.ExpFloat64() / rate {
			if r.IntN(int(rate)) == 0 {
				at += 0.05
			}
			add(at, 1, 0)
		}
		if r.IntN(2) == 0 {
			users(int(between(1, 20)), between(0.002, 0.02))
		}
	case "plateau":
		users(int(between(2, 500)), between(0.002, 0.05))
	case "sawtooth":
		period, amplitude := between(0.02, 0.25), between(10, 2000)
		held, next := 0, period*r.Float64()
		for at := 0.0; at < 1; at += r.ExpFloat64() * period / amplitude {
			if at > next {
				add(at, 0, held)
				held, next = 0, next+period
			}
			add(at, 1, 0)
			held++
		}
	case "start-up":
		n, until := between(2, 5000), between(0.001, 0.2)
		for at := 0.0; at < until; at += until / n {
			add(at, 1, 0)
		}
	case "pool": // keeps what at most was needed at once
		n, stay := between(2, 200), between(0.005, 0.05)
		need, most := 0, 0
		for at := 0.0; at < 1; at += r.ExpFloat64() * stay / n / 2 {
			if r.Float64() < n/(n+float64(need)) {
				need++
			} else {
				need--
			}
			if need > most {
				most++
				add(at, 1, 0)
			}
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return int(a.at - b.at) })
	h := &history{stack: stack{ID: 1, Shift: firstShift}}
	for _, e := range events {
		h.count(e.at, e.made, e.freed)
	}
	return h
}

var kinds = []string{"leak", "plateau", "sawtooth", "start-up", "pool"}

// Of a hundred histories at most one is judged wrongly, and most are judged.
func TestVerdicts(t *testing.T) {
	wrong, unclear := 0, map[string]int{}
	for i := range 100 {
		kind := kinds[i%len(kinds)]
		r := rand.New(rand.NewPCG(uint64(i), 17))
		wall := time.Duration(float64(1500*time.Millisecond) * math.Pow(40, r.Float64()))
		h := simulate(kind, wall, r)
		if h.live == 0 {
			continue // all was freed
		}
		w := newRecord(1)
		w.Chunk(chunkStack, h.stack, "example.com/a._Cfunc_f", "_cgo_gotypes.go", "12", "example.com/a.F", "a.go", "7")
		w.blocks(1, stateLive, tens(min(h.live, slab))...)
		record := w.record(t)
		record.WallNS = int64(wall)
		l := Merge([]*Record{record}).Leaks[0]
		switch grows := kind == "leak"; {
		case l.Class == Unclear:
			unclear[kind]++
			t.Logf("%d %s of %v: %s; %v", i, kind, wall, l.Why, l.History)
		case grows != (l.Class == Growing):
			wrong++
			t.Logf("%d WRONG: %s of %v is %s; %v", i, kind, wall, l.Class, l.History)
		}
	}
	if wrong > 1 {
		t.Errorf("%d of 100 histories are judged wrongly", wrong)
	}
	// A pool that takes one more block now and then could as well lose it.
	unclear["pool"] -= 12
	for _, kind := range kinds {
		if n := unclear[kind]; n > 3 {
			t.Errorf("%s: of too many histories nothing is told: %d more than may be", kind, n-3)
		}
	}
}

// Under what a verdict needs there is none.
func TestTooLittle(t *testing.T) {
	for _, c := range []struct {
		name string
		wall time.Duration
		made int
		want Class
	}{
		{"12,000 lost in a fifth of a second", 200 * time.Millisecond, 12000, Unclear},
		{"one block in a fifth of a second", 200 * time.Millisecond, 1, Unclear},
		{"12,000 lost in two seconds", 2 * time.Second, 12000, Growing},
		{"ten connections of two seconds", 2 * time.Second, 10, Unclear},
		{"one block of two seconds", 2 * time.Second, 1, Once},
	} {
		h := &history{stack: stack{ID: 1, Shift: firstShift}}
		for i := range c.made {
			h.count(c.wall/time.Duration(c.made)*time.Duration(i), 1, 0)
		}
		r := &StackRecord{shift: h.stack.Shift, bins: h.stack.Bins}
		if v := judge(c.wall, h.stack.Made, func(ns int64) uint64 { return r.at(ns) }); v.class != c.want || (v.why != "") != (c.want == Unclear) {
			t.Errorf("%s: %v, want %s", c.name, v, c.want)
		}
	}
}
