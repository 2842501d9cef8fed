package plan

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// A package whose C returns char * often has a view line, and one that people have written stays.
func TestViewLines(t *testing.T) {
	traces, code := program()
	lines := func(old string) (list []string, changes []string, summary string) {
		t.Helper()
		p, err := Parse("old.plan", []byte(old))
		if err != nil {
			t.Fatal(err)
		}
		r := Make(traces, code, Options{})
		changes = r.Merge(p, code)
		var b bytes.Buffer
		if err := r.Plan.Format(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, ".GoString") {
				list = append(list, strings.Join(strings.Fields(line), " "))
			}
		}
		b.Reset()
		if err := r.WriteText(&b, text.Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		return list, changes, b.String()
	}
	expect := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	list, _, _ := lines("")
	expect("without C.GoString", list)
	code[0].GoString = true
	list, _, _ = lines("")
	expect("without functions that return char *", list)
	list, _, _ = lines("view m.GoString # mine\n")
	expect("without them, and with a line", list, "view m.GoString # mine")

	for i, f := range code[0].Functions {
		if f.Name != "column_int" {
			continue
		}
		code[0].Functions[i].Result = "*_Ctype_char"
		seen := slices.IndexFunc(traces[0].File.Functions, func(f calltrace.Function) bool { return f.Name == "column_int" })
		traces[0].File.Functions[seen].Signature = code[0].Functions[i].Signature()
	}
	const made = "view m.GoString # constants are not copied; 1.2M calls of column_int, which may return some"
	list, _, summary := lines("")
	expect("with such a function", list, made)
	if want := "m.GoString: strings of C's that can't change"; !strings.Contains(summary, want) {
		t.Errorf("the summary lacks %q:\n%s", want, summary)
	}
	list, changes, _ := lines("cgo m.GoString # mine\n")
	expect("a cgo line", list, made)
	expect("its change", changes, "old.plan:1: m.GoString was cgo and is now view: "+strings.TrimPrefix(made, "view m.GoString # "))
	list, changes, _ = lines("cgo m.GoString keep # mine\n")
	expect("a cgo line with keep", list, "cgo m.GoString keep # mine")
	expect("its changes", changes)

	code[0].GoString = false
	list, changes, _ = lines("view m.GoString\n")
	expect("no longer used", list)
	expect("its change", changes, "old.plan:1: m.GoString is no longer called: its line is left out")
}

func TestCheckOfViews(t *testing.T) {
	_, code := program()
	p, err := Parse("p", []byte("view m.GoString\n"))
	if err != nil {
		t.Fatal(err)
	}
	first := func() string { return p.Check(code)[0].String() }
	if got := first(); got != "p:1: package m calls no C function GoString" {
		t.Error(got)
	}
	code[0].GoString = true
	if got := first(); strings.Contains(got, "GoString") {
		t.Error(got)
	}
}
