//seam:test race

package callgraph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// What can come to Go in whatever way is not closed.
func TestClosed(t *testing.T) {
	testenv.OtherProgram(t)
	t.Run("gcc", testClosed)
	t.Run("clang", func(t *testing.T) {
		useClang(t)
		testClosed(t)
	})
}

func testClosed(t *testing.T) {
	p, objdir := module(t, "closed")
	r := mustProve(t, p, objdir, Options{})
	for name, want := range map[string]string{
		"in_preamble": "", "sums": "", "copies": "", "locks": "", "asserts": "", "recurses": "",
		"by_name":           "a call of Go in goCalled",
		"by_other_file":     "a call of Go in goCalled",
		"by_pointer":        "a call through a pointer in by_pointer",
		"by_table":          "a call through a pointer in by_table",
		"by_weak":           "a call of elsewhere, which is weak, in by_weak",
		"by_weak_default":   "a call of replaceable, which is weak, in by_weak_default",
		"by_weak_alias":     "a call of another_name, which is weak, in by_weak_alias",
		"by_dlsym":          "a call of dlsym in by_dlsym",
		"by_constructor":    "a call ", // clang knows the only two that it may be
		"by_exit":           "a call of exit in by_exit",
		"by_sort":           "a call of qsort in by_sort",
		"by_assembly":       "inline assembly (",
		"by_ifunc":          "a call through a pointer in by_ifunc",
		"by_jump":           "a call of longjmp in by_jump",
		"by_once":           "a call of pthread_once in by_once",
		"by_unknown":        "a call of of_a_library in by_unknown",
		"by_assertion":      "a call of Go in goCalled",
		"by_doomed_pointer": "a call through a pointer in by_doomed_pointer",
		"by_stream":         "a call of fputc in by_stream",
		"by_signal":         "a call of raise in by_signal",
	} {
		f := r.Functions[name]
		if f == nil {
			t.Errorf("%s is not known", name)
			continue
		}
		if why := f.MayCallGo; want == "" && why != "" || !strings.HasPrefix(why, want) {
			t.Errorf("%s: %q, want %q", name, why, want)
		}
	}
}

// Where names don't tell functions, nothing is closed.
func TestNothingIsClosed(t *testing.T) {
	for _, c := range []struct{ name, file, text, ldflags, want string }{
		{"the linker wraps", "", "", "-Wl,--wrap=sums", "the linker is told -Wl,--wrap=sums"},
		{"the linker wraps in two words", "", "", "-Wl,-wrap,sums", "the linker is told -Wl,-wrap,sums"},
		{"the linker defines", "", "", "-Wl,-O1,--defsym=strlen=goCalled", "the linker is told"},
		{"assembly defines", "more.c", "__asm__(\".globl strlen\\n.set strlen, goCalled\");\nint more;\n", "", "inline assembly gives names to functions"},
		{"assembly defines in a function", "more.c", "int more(void) { __asm__(\"strlen = goCalled\"); return 1; }\n", "", "inline assembly gives names to functions"},
		{"nothing of it", "more.c", "int more(int n) { __asm__(\"\" : \"+r\"(n)); return n; }\n", "-lm -Wl,-rpath,/usr/lib -Wl,--as-needed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, objdir := module(t, "closed")
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(p.Dir, c.file), []byte(c.text), 0o666); err != nil {
					t.Fatal(err)
				}
				p.CFiles = append(p.CFiles, c.file)
			}
			p.CgoLDFLAGS = strings.Fields(c.ldflags)
			why := mustProve(t, p, objdir, Options{}).Functions["sums"].MayCallGo
			if c.want == "" && why != "" || !strings.HasPrefix(why, c.want) {
				t.Errorf("%q, want %q", why, c.want)
			}
		})
	}
}
