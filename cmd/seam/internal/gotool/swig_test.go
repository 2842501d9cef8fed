package gotool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// What SWIG makes for a package, in C and in C++, is processed as the go command does it,
// beside the package's own cgo files.
func TestGenerateBySwig(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "swig")
	testenv.Tool(t, "g++")
	t.Setenv("GOWORK", "off")
	t.Setenv("CGO_ENABLED", "1")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/s\n\ngo 1.25\n",
		"alone/doc.go":     "package alone\n",
		"alone/alone.swig": "%module alone\n%inline %{\nint once(int x) { return x; }\n%}\n",
		"both/own.go":      "package both\n\n// static int own(void) { return 1; }\nimport \"C\"\n\nfunc Own() int { return int(C.own()) }\n",
		"both/both.swigcxx": "%module both\n%include \"sub/v.h\"\n%{\n#include \"v.h\"\n%}\n" +
			"%inline %{\nint thrice(int x) { return 3*x+zero(); }\n%}\n",
		"both/cgo.go":  "package both\n\n// #cgo CPPFLAGS: -I${SRCDIR}/sub\nimport \"C\"\n",
		"both/sub/v.h": "static inline int zero() { return 0; }\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"./alone", "./both"} {
		p, objdir, err := generate(t, dir, pattern)
		if err != nil {
			t.Fatal(err)
		}
		if !p.CallsC() || p.UsesCgo() != (pattern == "./both") {
			t.Errorf("%s: calls C %v, has cgo files %v", pattern, p.CallsC(), p.UsesCgo())
		}
		same(t, dir, pattern, objdir)
		c, cxx := p.SwigWrappers(objdir)
		for _, f := range append(c, cxx...) {
			if _, err := os.Stat(f); err != nil {
				t.Error(err)
			}
		}
	}
	env, err := ReadEnv(t.Context(), "go", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "empty"))
	list, err := List(t.Context(), filepath.Join(env.GOROOT, "bin", "go"), dir, nil, "./alone")
	if err != nil {
		t.Fatal(err)
	}
	if err := Generate(t.Context(), list[0], filepath.Join(dir, "o")); err == nil || !strings.Contains(err.Error(), "no program swig") {
		t.Errorf("without SWIG: %v", err)
	}
}
