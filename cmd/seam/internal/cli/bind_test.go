//go:build linux

package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// Through cgo a package can be made of flags and of a file, wherever that is said.
func TestBindVia(t *testing.T) {
	testenv.Tool(t, "gcc")
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module m\n\ngo 1.25\n")
	for _, dir := range []string{"include", "said"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, "include/size.h", "typedef unsigned size;\n")
	writeFile(t, "twice.h", "#include <size.h>\nstatic inline size twice(size x) { return 2 * x; }\nint abs(int x);\n")
	writeFile(t, "said/bind.seam", "package said\nheader ../twice.h\ncflags -I../include\nlib libc.so.6\nlink -lc\n")
	seam(t, "bind", "--via", "cgo", "--lib", "libc.so.6", "--cflags", "-Iinclude", "-o", "flags", "twice.h").must(t, exitOK, "flags: 2 functions bound, 0 names not", "")
	seam(t, "bind", "--via", "cgo", "said/bind.seam").must(t, exitOK, "said: 2 functions bound, 0 names not", "")
	seam(t, "bind", "--check", "--via", "cgo", "said/bind.seam").must(t, exitOK, "", "")
	seam(t, "bind", "--check", "said/bind.seam").must(t, exitFinding, "", "said.go in said differ")
	writeFile(t, "main.go", "package main\n\nimport (\n\t\"fmt\"\n\t\"m/flags\"\n\t\"m/said\"\n)\n\nfunc main() { fmt.Println(flags.Twice(21), said.Twice(4), said.Abs(-3)) }\n")
	cmd := exec.Command("go", "run", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "42 8 3" {
		t.Errorf("%s, %v", out, err)
	}
	seam(t, "bind", "said/bind.seam").must(t, exitOK, "twice: an inline function is C's text, and no symbol: via cgo calls it", "")
	seam(t, "bind", "--via", "jni", "said/bind.seam").must(t, exitUsage, "", "jni")
}
