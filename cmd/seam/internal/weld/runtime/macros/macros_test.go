package macros_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/gcstress"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trace"
)

// Every word of the headers is a macro of the user's that breaks what it meets,
// and still is one behind them.
func TestHeadersStandAnyMacro(t *testing.T) {
	for _, c := range []struct {
		name                   string
		files                  map[string][]byte
		header, implementation string
	}{
		{"weld", leaf.C(), leaf.HeaderName, leaf.ImplementationName},
		{"trace", trace.Runtime.C(), trace.HeaderName, trace.ImplementationName},
		{"leaks", leaks.Runtime.C(), leaks.HeaderName, leaks.HeaderName},
		{"gcstress", gcstress.Runtime.C(), gcstress.HeaderName, gcstress.HeaderName},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name string, content []byte) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var src strings.Builder
			words := map[string]bool{}
			for name, text := range c.files {
				write(name, text)
				for line := range strings.Lines(string(text)) {
					if word, ok := strings.CutPrefix(strings.TrimSpace(line), "#undef "); ok && !words[word] {
						words[word] = true
						src.WriteString("#define " + word + " )broken(\n")
					}
				}
			}
			if len(words) == 0 {
				t.Fatal("no word is shielded")
			}
			src.WriteString("#include \"" + c.header + "\"\n#include \"" + c.implementation + "\"\n#include \"" + c.header + "\"\n")
			write("a.c", []byte(src.String()))
			cmd := exec.Command("cc", "-std=gnu89", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-O2", "-c", "-o", "a.o", "a.c")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			write("b.c", []byte(src.String()+"#ifndef s\n#error s is gone\n#endif\nint x = 0 s;\n"))
			cmd = exec.Command("cc", "-std=gnu89", "-fsyntax-only", "b.c")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "is gone") {
				t.Errorf("the user's macros hold no more behind the headers: %v\n%s", err, out)
			}
		})
	}
}
