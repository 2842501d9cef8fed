package limits

import (
	"fmt"
	"strings"
	"testing"
)

// words are how a compiler says things: of what moves, escapes and stays.
type words struct{ moved, escapes, stays string }

var (
	today = words{"moved to heap: x", "%s escapes to heap", "%s does not escape"}
	go113 = words{"moved to heap: x", "%s escapes to heap", "f %s does not escape"}
)

// compiler is one that keeps up to limit bytes on the stack, in its own words.
func (w words) compiler(ask []question, limit int64) string {
	var b strings.Builder
	say := func(line int, text string) {
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, "make([]byte, N)")
		}
		if text != "" {
			fmt.Fprintf(&b, "./p.go:%d:20: %s\n", line, text)
		}
	}
	say(controlMoved, w.moved)
	say(controlEscapes, w.escapes)
	say(controlStays, w.stays)
	line := firstLine
	for _, q := range ask {
		for _, n := range q.sizes {
			switch {
			case n > limit && q.variable:
				say(line, w.moved)
			case n > limit:
				say(line, w.escapes)
			case !q.variable:
				say(line, w.stays)
			}
			line++
		}
	}
	return b.String()
}

// bisect finds a limit of a compiler that is asked as the true ones are.
func bisect(t *testing.T, w words, limit int64) (n int64, atLeast bool, rounds int) {
	t.Helper()
	slice, variable := &bracket{limit: all[1], bad: -1}, &bracket{limit: all[0], bad: -1}
	sizes := []int64{}
	for n := int64(1); n <= mostAsked; n *= 2 {
		sizes = append(sizes, n)
	}
	for ask := []question{{slice, sizes}, {variable, sizes}}; len(ask) > 0; rounds++ {
		if err := judge(ask, w.compiler(ask, limit)); err != nil {
			t.Fatal(err)
		}
		ask = nil
		for _, b := range []*bracket{slice, variable} {
			if !b.done() {
				ask = append(ask, question{b, between(b.good, b.bad)})
			}
		}
	}
	if slice.good != variable.good || slice.bad != variable.bad {
		t.Fatalf("%+v, %+v", slice, variable)
	}
	return slice.good, slice.bad == 0, rounds
}

func TestBisection(t *testing.T) {
	for _, limit := range []int64{0, 1, 2, 3, 24, 25, 26, 27, 1000, 64<<10 - 1, 64 << 10, 128 << 10, 10 << 20, mostAsked - 1} {
		for _, w := range []words{today, go113} {
			n, atLeast, rounds := bisect(t, w, limit)
			if n != limit || atLeast {
				t.Errorf("found %d (at least: %v), want %d", n, atLeast, limit)
			}
			if rounds > 8 {
				t.Errorf("%d compilations for %d", rounds, limit)
			}
		}
	}
	for _, limit := range []int64{mostAsked, mostAsked + 1} {
		if n, atLeast, _ := bisect(t, today, limit); n != mostAsked || !atLeast {
			t.Errorf("%d: found %d (at least: %v)", limit, n, atLeast)
		}
	}
}

// A compiler that isn't understood has no limits.
func TestJudgeRefuses(t *testing.T) {
	controls := "p.go:3:1: moved to heap: x\np.go:4:1: a escapes to heap\np.go:5:1: a does not escape\n"
	for _, tt := range []struct{ name, said, want string }{
		{"silence", "", `of a variable whose address is returned it says nothing`},
		{"other words", today.compiler(nil, 0) + "p.go:6:1: stays at home\np.go:7:1: leaves\n", `of make([]byte, N), constant with N = 1 it says nothing`},
		{"everything stays", "p.go:3:1: moved to heap: x\np.go:4:1: a does not escape\np.go:5:1: a does not escape\n", `of a slice that is returned it says "does not escape"`},
		{"everything escapes", "p.go:3:1: moved to heap: x\np.go:4:1: a escapes to heap\np.go:5:1: a escapes to heap\n", `a slice of one byte that is not returned it says "escapes to heap"`},
		{"no order", controls + "p.go:6:1: a escapes to heap\np.go:7:1: a does not escape\n", "is on the heap with N = 1 and on the stack with N = 2: no limit"},
		{"of another file", controls + "q.go:6:1: a does not escape\nq.go:7:1: a escapes to heap\n", "it says nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &bracket{limit: all[1], bad: -1}
			if err := judge([]question{{b, []int64{1, 2}}}, tt.said); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Whatever a compiler prints, a bracket that is believed is one.
func FuzzJudge(f *testing.F) {
	f.Add(today.compiler(nil, 1))
	f.Add("p.go:3:1: moved to heap: x\np.go:4:1: a escapes to heap\np.go:5:1: f a does not escape\np.go:6:2: a does not escape\np.go:7:2: a escapes to heap\n")
	f.Add("p.go:99999999999999999999:1: moved to heap: x\np.go::\np.go:6: moved to heap: x")
	f.Fuzz(func(t *testing.T, said string) {
		slice, variable := &bracket{limit: all[1], bad: -1}, &bracket{limit: all[0], bad: -1}
		if judge([]question{{slice, []int64{1, 2}}, {variable, []int64{1, 2}}}, said) != nil {
			return
		}
		for _, b := range []*bracket{slice, variable} {
			if b.bad != 0 && b.bad <= b.good || b.bad < 0 || b.bad == 0 && b.good != 2 {
				t.Errorf("%d stay and %d don't", b.good, b.bad)
			}
		}
	})
}
