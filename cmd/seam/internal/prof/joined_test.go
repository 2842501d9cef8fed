package prof

import "testing"

// How far down stacks go is told by their outermost functions.
func TestEnds(t *testing.T) {
	goFrame := func(name string) Frame { return Frame{Func: name, File: "x.go", Kind: Go} }
	c := func(name string) Frame { return Frame{Func: name, Kind: C} }
	call := Frame{Func: "main._Cfunc_f", Kind: Crossing}
	for _, test := range []struct {
		stack []Frame
		want  Ends
		says  string
	}{
		{[]Frame{goFrame("main.f"), goFrame("runtime.main")}, Ends{}, ""},
		{[]Frame{c("f"), call, goFrame("main.main"), goFrame("runtime.main")}, Ends{Goroutine: 8}, "Stacks with C: 100.0 % go down to where their goroutine began."},
		{[]Frame{c("f"), call, goFrame("main.main.func1")}, Ends{Goroutine: 8}, ""},
		{[]Frame{c("f"), c("[truncated]"), call, goFrame("main.main.func1")}, Ends{Goroutine: 8, Gap: 8}, "Stacks with C: 100.0 % go down to where their goroutine began (100.0 % with functions missing in between, at [truncated] or [left out])."},
		{[]Frame{c("f"), call, goFrame("runtime.runFinalizers")}, Ends{Goroutine: 8}, ""},
		{[]Frame{c("f"), c("start_thread"), c("__clone3")}, Ends{Thread: 8}, "Stacks with C: 0.0 % go down to where their goroutine began, 100.0 % to where C's own thread did."},
		{[]Frame{c("f"), c("[libc.so.6]")}, Ends{Thread: 8}, ""},
		{[]Frame{c("f"), c("start_thread"), c("__GI___clone3")}, Ends{Thread: 8}, ""},
		{[]Frame{{Func: "gogo", File: "/go/src/runtime/asm_amd64.s", Kind: kindOf("gogo", "/go/src/runtime/asm_amd64.s")}}, Ends{}, ""},
		{[]Frame{c("f"), c("[truncated]")}, Ends{Cut: 8}, "Stacks with C: 0.0 % go down to where their goroutine began, 100.0 % are cut off, in code without unwind tables."},
		{[]Frame{c("f"), c("g")}, Ends{Cut: 8}, "Stacks with C: 0.0 % go down to where their goroutine began, 100.0 % are cut off in g."},
		{[]Frame{c("f"), goFrame("runtime._ExternalCode")}, Ends{Cut: 8}, ""},
	} {
		p := New(CPU)
		p.Add(test.stack, nil, 8)
		got := p.Ends()
		if got.Goroutine != test.want.Goroutine || got.Gap != test.want.Gap || got.Thread != test.want.Thread || got.Cut != test.want.Cut {
			t.Errorf("%v: got %+v", test.stack, got)
		}
		if says := got.sentence(); test.says != "" && says != test.says {
			t.Errorf("%v: says %q", test.stack, says)
		}
	}
	e := Ends{Goroutine: 990, Cut: 10, CutBy: map[string]int64{"[truncated]": 8, "g": 1, "h": 1}}
	if got, want := e.sentence(), "Stacks with C: 99.0 % go down to where their goroutine began, 1.0 % are cut off, in code without unwind tables and 2 other functions."; got != want {
		t.Errorf("got %q", got)
	}
}
