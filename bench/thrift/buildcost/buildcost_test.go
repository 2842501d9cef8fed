package buildcost

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

func TestIDL(t *testing.T) {
	text := IDL("cost", 300)
	if n := strings.Count(text, "\nstruct "); n != 300 {
		t.Errorf("%d structs, want 300", n)
	}
	if n := len(regexp.MustCompile(`(?m)^  \d+: `).FindAllString(text, -1)); n != 300*12 {
		t.Errorf("%d fields, want %d", n, 300*12)
	}
	for _, m := range mix {
		typ, _, _ := strings.Cut(m.typ, "%")
		if !strings.Contains(text, ": "+typ) {
			t.Errorf("no field of %s", typ)
		}
	}
	if text != IDL("cost", 300) {
		t.Error("it is another one every time")
	}
}

func TestCosts(t *testing.T) {
	testenv.Builds(t)
	o := Options{Dir: t.TempDir(), Structs: 4, Repeat: 1}
	small, err := Measure(t.Context(), "fastgo", o)
	if err != nil {
		t.Fatal(err)
	}
	o.Dir, o.Structs = t.TempDir(), 40
	large, err := Measure(t.Context(), "fastgo", o)
	if err != nil {
		t.Fatal(err)
	}
	if small.Lines < 100 || large.Lines < 5*small.Lines || large.Text < 5*small.Text || large.Build <= 0 || large.Generate <= 0 {
		t.Errorf("4 structs cost %+v, 40 cost %+v", small, large)
	}
	if _, err := Measure(t.Context(), "protoc", o); err == nil {
		t.Error("a compiler that does not exist is measured")
	}
}
