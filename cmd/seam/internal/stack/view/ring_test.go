package view

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// A function calls itself through what was inlined into it, through the compiler's wrapper of
// a method that an interface calls, and by functions that grew no stack themselves.
func TestHiddenRecursion(t *testing.T) {
	inlined := place("main.(*node).tail", "/m/f.go", 7)
	inlined.In = "main.length"
	for _, c := range []struct {
		name           string
		callee, caller report.Place
		ring           []report.Place
		frame, used    int64
		want, brief    string
		calls, below   []report.Place
	}{
		{"inlined", place("main.length", "/m/f.go", 9), inlined, nil, 40, 30 * kb, "It calls itself through main.(*node).tail, which was inlined into it, with a frame of 40 B per call", "it calls itself", nil, nil},
		{"wrapped", place("main.(*leaf).eval", "/m/f.go", 9), place("main.leaf.eval", "/m/f.go", 9), nil, 40, 30 * kb, "It calls itself, with a frame", "it calls itself", nil, nil},
		{"one call of a ring", place("main.a", "/m/f.go", 9), place("main.c", "/m/f.go", 9), []report.Place{place("main.a", "", 0), place("main.b", "", 0), place("main.c", "", 0)}, 40, 30 * kb, "main.a, main.c and main.b call each other", "3 functions call each other", nil, nil},
		{"an interface's", place("main.a", "/m/f.go", 9), place("main.b", "/m/f.go", 9), nil, 40, 900 * kb, "functions that call each other again and again led here, perhaps through an interface", "recursion, perhaps through an interface", nil, nil},
		{"no recursion", place("main.a", "/m/f.go", 9), place("main.b", "/m/f.go", 9), nil, 40, 3 * kb, "because of all the calls that lead here", "were in use before", nil, nil},
		{"the library's", place("net/http.a", "/go/f.go", 9), place("net/http.b", "/go/f.go", 9), nil, 40, 3 * kb, "it and its caller are the standard library's", "the standard library's own calls", nil, nil},
		{"the library's, called by the program", place("net/http.a", "/go/f.go", 9), place("net/http.b", "/go/f.go", 9), nil, 40, 3 * kb, "reached from main.serve (/m/f.go:12). What the program can change is that call", "reached from main.serve (/m/f.go:12)",
			[]report.Place{place("net/http.c", "/go/f.go", 9), place("main.serve", "/m/f.go", 12), place("main.main", "/m/f.go", 3)}, nil},
		{"a ring below", place("main.a", "/m/f.go", 9), place("main.b", "/m/f.go", 9), nil, 40, 30 * kb, "were in use when it was called: among the calls that lead here main.c and main.(*t).d call each other. Limit the depth there", "by recursion: limit the depth", nil, []report.Place{place("main.c", "", 0), place("main.(*t).d", "", 0)}},
		{"one that calls itself below", place("main.a", "/m/f.go", 9), place("main.b", "/m/f.go", 9), nil, 40, 30 * kb, "among the calls that lead here main.c calls itself. Limit the depth there", "by recursion: limit the depth", nil, []report.Place{place("main.c", "", 0)}},
	} {
		s := report.Site{Callee: c.callee, Caller: c.caller, Ring: c.ring, Below: c.below, Calls: c.calls, Frame: c.frame, Used: c.used, Largest: 2 << 20, Totals: totalsOf(9, 9000, 9e9, 1e9)}
		f := &report.File{Processes: []report.Process{{CPU: 10e9}}, Growth: s.Totals, Sites: []report.Site{s}}
		list := advise(f, names{})[0]
		if got := list[0].words(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := list[0].short(); !strings.Contains(got, c.brief) {
			t.Errorf("%s, in short: %q, want %q", c.name, got, c.brief)
		}
	}
}

// What the program can change is first, if it costs anything.
func TestOwnFirst(t *testing.T) {
	site := func(callee, caller string, time int64) report.Site {
		return report.Site{Callee: place(callee, "/f.go", 1), Caller: place(caller, "/f.go", 2), Totals: totalsOf(9, 9000, time, time/9)}
	}
	f := &report.File{Header: report.Header{Module: "example.com/m"}, Growth: totalsOf(99, 99000, 1000, 10), Sites: []report.Site{
		site("net/http.a", "net/http.b", 500), site("example.com/m.slight", "main.f", 10), site("encoding/json.a", "example.com/m.f", 100), site("main.f", "net/http.b", 390),
	}}
	var got []string
	for _, s := range ranked(f).Sites {
		got = append(got, s.Callee.Func)
	}
	if strings.Join(got, " ") != "main.f encoding/json.a net/http.a example.com/m.slight" {
		t.Errorf("%q", got)
	}
	if f.Sites[0].Callee.Func != "net/http.a" {
		t.Error("the report itself was sorted")
	}
}
