//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A test that fails only welded, for one function: what C gets the address of no longer escapes.
func TestWeldBisect(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var c, calls, lines strings.Builder
	for _, f := range []string{"a", "b", "c", "d", "e"} {
		c.WriteString("static int " + f + "(int *p) { return *p; }\n")
		calls.WriteString("\n// " + strings.ToUpper(f) + " calls it.\nfunc " + strings.ToUpper(f) + "() int { x := C.int(1); return int(C." + f + "(&x)) }\n")
		lines.WriteString("leaf example.com/five." + f + "\n")
	}
	write("go.mod", "module example.com/five\n\ngo 1.25\n")
	write("five.go", "package five\n\n/*\n"+c.String()+"*/\nimport \"C\"\n"+calls.String())
	write("five_test.go", `package five

import (
	"os"
	"testing"
)

func TestEscapes(t *testing.T) {
	if os.Getenv("FIVE") == "fails" {
		t.Fatal("as it is")
	}
	allocations := func(f func() int) float64 { return testing.AllocsPerRun(100, func() { f() }) }
	if n := allocations(D); n != 1 && os.Getenv("FIVE") != "passes" {
		t.Errorf("D makes %v allocations", n)
	}
	if os.Getenv("FIVE") == "both" && allocations(A)+allocations(B) == 0 {
		t.Errorf("neither A nor B makes an allocation")
	}
}
`)
	write("seam.plan", "# seam.plan 1\n"+lines.String())
	bisect := func(code int, variable string, want ...string) {
		t.Helper()
		t.Setenv("FIVE", variable)
		r := seam(t, "weld", "--bisect", "--", "go", "test", ".")
		if r.code != code {
			t.Errorf("FIVE=%s: code %d, want %d", variable, r.code, code)
		}
		for _, w := range want {
			if !strings.Contains(r.out+r.errout, w) {
				t.Errorf("FIVE=%s: no %q in:\n%s\n%s", variable, w, r.out, r.errout)
			}
		}
	}
	bisect(1, "both", "these together\n  line 2: leaf example.com/five.a\n  line 3: leaf example.com/five.b\n",
		"this one alone\n  line 5: leaf example.com/five.d\n", "With the other 2 lines of the plan it passes.\n", "neither A nor B", "D makes 0 allocations")
	bisect(0, "passes", "It passes with all 5 lines of")
	bisect(3, "fails", "welding is not the reason")

	for _, x := range []struct{ args, says string }{
		{"--bisect -- go build .", "go build runs nothing that could fail"},
		{"--bisect --compare -- go test .", "two questions"},
	} {
		if r := seam(t, append([]string{"weld"}, strings.Fields(x.args)...)...); r.code != 2 || !strings.Contains(r.errout, x.says) {
			t.Errorf("seam weld %s: code %d, %q; want 2 and %q", x.args, r.code, r.errout, x.says)
		}
	}
	write("seam.plan", "# seam.plan 1\ncgo example.com/five.a\n")
	if r := seam(t, "weld", "--bisect", "--", "go", "test", "."); r.code != 2 || !strings.Contains(r.errout, "welds nothing") {
		t.Errorf("a plan of cgo: code %d, %q", r.code, r.errout)
	}
}
