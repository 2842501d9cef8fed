package plan

import (
	"bytes"
	"go/token"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// A package that frees often what C.CString made in the same function has a reuse line, which says what it
// brings: more where malloc and free are crossings than where they are leaves.
func TestReuseLines(t *testing.T) {
	traces, code := program()
	free := func(line int, calls uint64) calltrace.Caller {
		return calltrace.Caller{Calls: calls, Stack: []calltrace.Frame{{Func: "m.f.func1", File: "/elsewhere/m/a.go", Line: line}}}
	}
	allocator := func(name string, callers ...calltrace.Caller) calltrace.Function {
		return with(quick(name), func(f *calltrace.Function) { f.CrossingNS, f.P50NS, f.Callers = 40, 10, callers })
	}
	file := traces[0].File
	file.Functions = append(file.Functions, allocator(cgofile.Malloc), allocator("free", free(10, 5000), free(20, 1_000_000)))
	file.Processes = []calltrace.Process{{CPUNS: 1e9}}
	lines := func(old string) (line, summary string) {
		t.Helper()
		p, err := Parse("old.plan", []byte(old))
		if err != nil {
			t.Fatal(err)
		}
		r := Make(traces, code, Options{})
		r.Merge(p, code)
		for _, e := range r.Plan.Entries {
			if e.Func == cgofile.CString {
				line += string(e.Mode) + " # " + e.Comment
			}
		}
		var b bytes.Buffer
		if err := r.WriteText(&b, text.Options{Width: 300}); err != nil {
			t.Fatal(err)
		}
		return line, strings.Join(strings.Fields(b.String()), " ")
	}
	expect := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	line, _ := lines("reuse m.CString # mine\n")
	expect("without such strings", line, "")

	code[0].Strings = cgofile.Strings{Made: 3, Freed: 1, Frees: []token.Position{{Filename: "/m/a.go", Line: 10}}}
	line, _ = lines("")
	expect("malloc and free are no functions of the plan", line, "reuse # no malloc and free for up to 5k strings, by 1 of 3 C.CString; brings <0.1 %")
	code[0].Strings.Frees = append(code[0].Strings.Frees, token.Position{Filename: "/m/a.go", Line: 20})
	line, summary := lines("")
	// 40 + 40 - 12 to 96 ns each, of at most a second less what tracing took.
	if !strings.HasPrefix(line, "reuse # no malloc and free for up to 1M strings, by 1 of 3 C.CString; brings 6.8–") {
		t.Error(line)
	}
	for _, want := range []string{"Leaf calls and kept blocks would save about 94.7 ms, 9.5", "m.CString: strings that are freed by the function that makes them have blocks that are kept: 6.8"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
	for _, name := range []string{cgofile.Malloc, "free"} {
		code[0].Functions = append(code[0].Functions, cgofile.Function{Name: name, Params: oneInt("x").Params, Result: oneInt("x").Result})
	}
	// As leaves: 3 + 3 - 12, which is nothing for certain, to 22 ns.
	if line, _ = lines(""); !strings.Contains(line, "by 1 of 3 C.CString; brings up to ") {
		t.Error(line)
	}
	line, _ = lines("cgo m.CString keep # mine\n")
	expect("a cgo line with keep", line, "cgo # mine")
	code[0].Strings.Frees = nil
	line, _ = lines("")
	expect("strings whose frees the trace doesn't have", line, "")
	line, _ = lines("reuse m.CString # mine\n")
	expect("the same with a line", line, "reuse # mine")
}

func TestCheckOfReuse(t *testing.T) {
	_, code := program()
	p, err := Parse("p", []byte("reuse m.CString\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Check(code)[0].String(); got != "p:1: package m calls no C function CString" {
		t.Error(got)
	}
	code[0].Strings.Freed = 1
	if got := p.Check(code)[0].String(); strings.Contains(got, "CString") {
		t.Error(got)
	}
}
