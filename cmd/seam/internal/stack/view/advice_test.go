package view

import (
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

func TestAdvice(t *testing.T) {
	user := func(n int64) report.Entry {
		return report.Entry{Func: place("main.work", "/m/w.go", 3), Go: place("main.main", "/m/m.go", 9), Count: n}
	}
	background := report.Entry{Func: place("runtime.bgsweep", "", 0), Count: 1}
	site := func(callee, caller string, frame, from, to, n int64, entries ...report.Entry) report.Site {
		all := totalsOf(n, n*1000, n*2000, 2000)
		return report.Site{Callee: place(callee, "/m/f.go", 1), Caller: place(caller, "/m/c.go", 2), Frame: frame, Used: from - 100, Largest: to, Totals: all,
			Steps: []report.Step{{From: from, To: to, Totals: all}}, Entries: entries}
	}
	for _, c := range []struct {
		name  string
		site  report.Site
		grew  int64 // goroutines of main.work that grew
		halve int64 // shrinks from the size that the site grows to
		want  []kind
		say   string
		worth bool
	}{
		{"a frame that fills half of the stack", site("main.f", "main.g", 2100, 2*kb, 4*kb, 9, user(9)), 9, 0, []kind{frame}, "frame of 2.05 KB alone takes up most of a stack of 4 KB", true},
		{"a frame that doesn't fit the stack before", site("main.f", "main.g", 3000, 2*kb, 8*kb, 9, user(9)), 9, 0, []kind{frame}, "Its frame of 2.93 KB doesn't fit in a stack of 2 KB.", true},
		{"a frame that doesn't fit with the guard", site("main.f", "main.g", 1200, 2*kb, 4*kb, 9, user(9)), 9, 0, []kind{frame}, "Its frame of 1.17 KB doesn't fit in a stack of 2 KB, of which 928 B are reserved.", true},
		{"a frame that is larger than what was in use", func() report.Site {
			s := site("main.f", "main.g", 1312, 4*kb, 8*kb, 9, user(9))
			s.Used = 312
			return s
		}(), 9, 0, []kind{frame}, "Its frame of 1.28 KB is larger than all the stack in use before it (up to 312 B)", true},
		{"a frame that is not to blame", site("main.f", "main.g", 1000, 2*kb, 4*kb, 9, user(9)), 9, 0, []kind{deep}, "up to 1.9 KB were in use", true},
		{"a large frame, once in each of few goroutines", site("main.f", "main.g", 3000, 2*kb, 8*kb, 4, user(4)), 4, 0, []kind{settled}, "once per goroutine, in at most 4 goroutines", false},
		{"few goroutines, of which one grew twice", site("main.f", "main.g", 3000, 2*kb, 8*kb, 4, user(4)), 3, 0, []kind{frame}, "", true},
		{"a recursion, once in each of few goroutines", site("main.f", "main.f", 64, 2*kb, 4*kb, 4, user(4)), 4, 0, []kind{settled, recursion}, "It calls itself", false},
		{"a deep recursion in few goroutines", site("main.f", "main.f", 64, 512*kb, 1024*kb, 4, user(4)), 4, 0, []kind{recursion}, "", true},
		{"a frame that is not known", site("main.f", "main.g", 0, 2*kb, 8*kb, 9, user(9)), 9, 0, []kind{deep}, "Up to 1.9 KB were in use", true},
		{"recursion", site("main.f", "main.f", 512, 4*kb, 8*kb, 9, user(9)), 9, 0, []kind{recursion}, "16 levels fill 8 KB", true},
		{"recursion without symbols", site("main.f", "main.f", 0, 4*kb, 8*kb, 9, user(9)), 9, 0, []kind{recursion}, "It calls itself. Limit", true},
		{"two functions without names are not one", site("", "", 0, 4*kb, 8*kb, 9, user(9)), 9, 0, []kind{deep}, "", true},
		{"many goroutines, each once", site("main.f", "main.g", 64, 2*kb, 4*kb, 500, user(500)), 500, 0, []kind{deep, many}, "All of these growths were in goroutines that run main.work; 500 of them grew", true},
		{"mostly goroutines of one kind", site("main.f", "main.g", 64, 2*kb, 4*kb, 500, user(400), runtimeMain(100)), 450, 0, []kind{deep, many}, "400 of these growths", true},
		{"few goroutines that shrink and grow", site("main.f", "main.g", 64, 2*kb, 4*kb, 500, user(500)), 4, 490, []kind{again}, "496 of the growths were of stacks that had been as large before", true},
		{"few goroutines, recursion, that shrink and grow", site("main.f", "main.f", 64, 2*kb, 4*kb, 500, user(500)), 4, 490, []kind{again, recursion}, "(490 shrinks from these sizes)", true},
		{"growing again without a shrink is not known to happen", site("main.f", "main.g", 64, 2*kb, 4*kb, 500, user(500)), 4, 0, []kind{deep}, "", true},
		{"not all goroutines are known", site("main.f", "main.g", 64, 2*kb, 4*kb, 500, user(300)), 4, 490, []kind{deep}, "", true},
		{"once", site("main.f", "main.g", 64, 2*kb, 4*kb, 1, runtimeMain(1)), 0, 0, []kind{once}, "once in the whole run", false},
		{"a large frame once, little of all", site("main.f", "main.g", 3000, 2*kb, 4*kb, 1, runtimeMain(1)), 0, 0, []kind{settled}, "little to gain", false},
		{"the runtime's goroutines", site("runtime.f", "runtime.g", 64, 2*kb, 4*kb, 5, background), 0, 0, []kind{runtimes}, "nothing to do", false},
		{"the runtime's functions, called by the program", site("runtime.f", "internal/runtime/maps.g", 64, 2*kb, 4*kb, 5, user(5)), 5, 0, []kind{deep}, "", true},
	} {
		f := &report.File{Settings: report.Settings{Guard: 928}, Processes: []report.Process{{CPU: 1e6}}, Growth: totalsOf(1000, 1e6, 1e6, 1000), Sites: []report.Site{c.site}, Shrinks: []report.Shrink{{From: c.site.Steps[0].To, To: 1, Totals: totalsOf(c.halve, 0, 0, 0)}}}
		if c.grew > 0 {
			e := user(c.grew)
			f.Tree = []*report.Node{{Entry: &e}}
		}
		list := advise(f, names{})[0]
		var got []kind
		for _, a := range list {
			got = append(got, a.kind)
			if n := len([]rune(a.short())); n > 90 {
				t.Errorf("%s: in short that has %d characters: %s", c.name, n, a.short())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: kinds %v, want %v", c.name, got, c.want)
		}
		words := ""
		for _, a := range list {
			words += a.words()
		}
		if !strings.Contains(words, c.say) {
			t.Errorf("%s: %q is not in %q", c.name, c.say, words)
		}
		if got := worth(list); got != c.worth {
			t.Errorf("%s: worth a change: %v", c.name, got)
		}
	}
}

// What is said of many goroutines is said once; other sites refer to it.
func TestAdviceSaysItOnce(t *testing.T) {
	f := large()
	said := 0
	for i, list := range advise(f, names{}) {
		for _, a := range list {
			if a.kind != many {
				continue
			}
			said++
			if w := a.words(); (said == 1) != strings.Contains(w, "worker pool") || said > 1 && !strings.Contains(w, "(see 1)") {
				t.Errorf("site %d: %s", i+1, w)
			}
		}
	}
	if said < 2 {
		t.Fatalf("%d sites are about many goroutines", said)
	}
}

// Shrinks from a size that two steps lead to are counted once.
func TestAdviceCountsShrinksOnce(t *testing.T) {
	f := large()
	s := &f.Sites[2]
	s.Steps = append([]report.Step{{From: 2 * kb, To: 8 * kb, Totals: totalsOf(4, 4, 4, 4)}}, s.Steps...)
	if a := advise(f, names{})[2][0]; a.kind != again || a.shrinks != 318 {
		t.Errorf("kind %v, %d shrinks, want 318", a.kind, a.shrinks)
	}
}

// Functions that call each other are told of as one recursion, whatever their frames; what
// only leads to them, or is led to, is not of them.
func TestAdviceFindsRings(t *testing.T) {
	site := func(caller, callee string) report.Site {
		all := totalsOf(3, 300*kb, 300_000, 100_000)
		return report.Site{Callee: place(callee, "/m/p.go", 1), Caller: place(caller, "/m/p.go", 2), Frame: 24, Used: 1020 * kb, Largest: 2048 * kb, Totals: all, Steps: []report.Step{{From: 512 * kb, To: 1024 * kb, Totals: all}}, Entries: []report.Entry{runtimeMain(3)}}
	}
	f := &report.File{Growth: totalsOf(15, 1, 1_500_000, 100_000), Sites: []report.Site{
		site("main.expr", "main.term"), site("main.term", "main.factor"), site("main.factor", "main.expr"), site("main.main", "main.expr"), site("main.factor", "main.number"),
	}}
	list := advise(f, names{})
	for i, want := range []string{
		"main.term, main.expr and main.factor call each other, with frames of 72 B in total. Limit the depth",
		"main.term, main.expr and main.factor call each other (see 1).",
		"main.term, main.expr and main.factor call each other (see 1).",
		"Its frame is only 24 B", "Its frame is only 24 B",
	} {
		if got := list[i][0].words(); !strings.HasPrefix(got, want) {
			t.Errorf("site %d: %q, want %q", i+1, got, want)
		}
	}
	if repeats(list[0]) || !repeats(list[1]) {
		t.Error("the first of a ring's sites stands for all in a summary")
	}
	for name, sites := range map[string][]report.Site{
		"a row":                   {site("a", "b"), site("b", "c")},
		"a function by itself":    {site("a", "a")},
		"functions without names": {site("?", ""), site("", "?"), site(report.Others, "a"), site("a", report.Others)},
	} {
		if got := rings(sites); len(got) > 0 {
			t.Errorf("%s: a ring %v", name, got)
		}
	}
	two := rings([]report.Site{site("a", "b"), site("b", "a"), site("b", "c"), site("c", "d"), site("d", "c")})
	if two["a"] != two["b"] || two["c"] != two["d"] || two["a"] == two["c"] || two["a"] == nil || two["c"] == nil {
		t.Errorf("two rings, one behind the other: %v", two)
	}
}
