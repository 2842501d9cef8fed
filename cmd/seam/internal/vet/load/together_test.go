//go:build cgo

//seam:test race

package load

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/internal/testenv"
)

// module is a package whose files go together, but for some.
var module = map[string]string{
	"go.mod": "module example.com/several\n\ngo 1.25.0\n",
	"a.go": `package several

/*
#include "a.h"
static int twice(int x) { return 2 * x; }
*/
import "C"
import "fmt"

func A() { fmt.Println(C.twice(C.SIZE), C.struct_a{}.x, C.name) }
`,
	"b.go": `package several

// #include "a.h"
// static long half(long x) { return x / 2; }
import "C"

import str "strings"

func B() string { n, err := C.half(8); _ = err; return str.Repeat("b", int(n)) }

var callback = C.half
`,
	// This one has a function of a.go's name, in C, of another kind.
	"c.go": `package several

// static int once(int x) { return x; }
// static int twice(int x) { return once(x) + x; }
import "C"

func c() { C.once(1) }
`,
	// The guard of this header is that of a.h by mistake.
	"d.go": `package several

// #include "d.h"
import "C"

func D() C.d_t { return C.d_t(C.D_VALUE) }
`,
	"e.go": `package several

// #include "a.h"
import "C"

//export Called
func Called(x C.int) C.int { return x }
`,
	// Its macro means something else.
	"f.go": `package several

// #define SIZE "large"
import "C"

func F() string { return C.SIZE }
`,
	"a.h": "#ifndef GUARD\n#define GUARD\n#define SIZE 12\nstruct a { int x; };\nextern const char *name;\n#endif\n",
	"d.h": "#ifndef GUARD\n#define GUARD\ntypedef unsigned short d_t;\n#define D_VALUE 7\n#endif\n",
}

// cgo, run once for many files, declares what it declares file by file.
func TestTogether(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	src := write(t, module)
	list, err := gotool.List(t.Context(), "go", src, nil, ".")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d packages (%v)", len(list), err)
	}
	for _, leave := range [][]string{nil, {"c.go"}, {"f.go", "c.go"}, {"d.go", "c.go", "f.go"}} {
		p := list[0]
		p.CgoFiles = slices.DeleteFunc(slices.Clone(p.CgoFiles), func(f string) bool { return slices.Contains(leave, f) })
		each, once := t.TempDir(), t.TempDir()
		wholeErr := gotool.Generate(t.Context(), p, each)
		_, err := runCgo(t.Context(), p, once, true)
		if wholeErr != nil { // macros of two meanings are an error of cgo's
			if err == nil {
				t.Errorf("without %v: no error, want %v", leave, wholeErr)
			}
			continue
		}
		if err != nil {
			t.Errorf("without %v: %v", leave, err)
			continue
		}
		if a, b := declarations(t, each), declarations(t, once); !slices.Equal(a, b) {
			t.Errorf("without %v cgo declares\n%s\nand, run once,\n%s", leave, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		files, err := filepath.Glob(filepath.Join(once, "*.cgo2.c"))
		if err != nil || len(files) >= len(p.CgoFiles) {
			t.Errorf("without %v: %d files of C were written for %d of Go (%v)", leave, len(files), len(p.CgoFiles), err)
		}
	}
}

// declarations are the lines of _cgo_gotypes.go that declare something, without the numbers
// that cgo makes of the source.
func declarations(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "_cgo_gotypes.go"))
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`_[0-9a-f]{12}_`)
	var list []string
	for line := range strings.Lines(string(text)) {
		if regexp.MustCompile(`^(type|func|const|var) `).MatchString(line) {
			list = append(list, strings.TrimSpace(number.ReplaceAllString(line, "_N_")))
		}
	}
	slices.Sort(list)
	return list
}

// problems are what Load can't know about a module of one package.
func problems(t *testing.T, module map[string]string) []string {
	t.Helper()
	testenv.Tool(t, "gcc")
	list, err := gotool.List(t.Context(), "go", write(t, module), []string{"-deps"}, ".")
	if err != nil {
		t.Fatal(err)
	}
	prog, err := Load(t.Context(), list, Options{GOARCH: runtime.GOARCH})
	if err != nil {
		t.Fatal(err)
	}
	return prog.Problems
}

// A header of one file gives a name of another's a second meaning, in a way that the compiler
// doesn't mind.
func TestSecondMeaning(t *testing.T) {
	t.Parallel()
	if p := problems(t, map[string]string{
		"go.mod": "module example.com/meanings\n\ngo 1.25.0\n",
		"a.go":   "package meanings\n\n// #include \"a.h\"\nimport \"C\"\n\nfunc A() C.int { return C.opener(1) }\n",
		"b.go":   "package meanings\n\n// #include \"b.h\"\nimport \"C\"\n\nfunc B() C.int { return C.other() }\n",
		"a.h":    "#ifndef A\n#define A\nint opener_1(int x);\n#define opener opener_1\n#endif\n",
		"b.h":    "#include \"a.h\"\n#undef opener\n#define opener opener_template\nint opener_template(int x, int y);\nint other(void);\n",
	}); len(p) > 0 {
		t.Errorf("not known: %q", p)
	}
}

// That a header is missing is said once, and not again for each type that is unknown without it.
func TestMissingHeader(t *testing.T) {
	t.Parallel()
	p := problems(t, map[string]string{
		"go.mod": "module example.com/missing\n\ngo 1.25.0\n",
		"a.go":   "package missing\n\n// #include \"missing.h\"\nimport \"C\"\nimport \"unsafe\"\n\ntype T struct{ x C.thing }\n\nfunc (t *T) P() unsafe.Pointer { return unsafe.Pointer(t.x) }\n",
	})
	if len(p) != 1 || !strings.Contains(p[0], "missing.h: No such file") {
		t.Errorf("not known: %q, want the header, once", p)
	}
}

// write writes the files of a module into a folder.
func write(t *testing.T, module map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range module {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
