//go:build linux && cgo

package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

const leaky = `package leaky

// #include <stdlib.h>
// #include <string.h>
import "C"

import "unsafe"

func Len(s string) int {
	cs := C.CString(s)
	return int(C.strlen(cs))
}

func Free(p unsafe.Pointer) { C.free(p) }
`

// From the first look at a module to the mended one, as a user goes.
func TestVet(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module example.com/leaky\n\ngo 1.25.0\n")
	writeFile(t, "leaky.go", leaky)

	seam(t, "vet", "./...").must(t, exitFinding, "leaky.go:10:8: error: the memory from C.CString is never freed [cstring-leak]", "1 finding of severity warning or above")
	seam(t, "vet", "--write-baseline", "known.json").must(t, exitOK, "", "")
	seam(t, "vet", "--baseline", "known.json").must(t, exitOK, "nothing found in 1 package; 1 known to the baseline", "")
	writeFile(t, ".seam-vet", "cstring-leak note\n")
	seam(t, "vet").must(t, exitOK, "1 finding not shown: --show note", "")
	if err := os.Remove(".seam-vet"); err != nil {
		t.Fatal(err)
	}
	seam(t, "vet", "--rules", "keepalive,errno-thread").must(t, exitOK, "nothing found", "")
	seam(t, "vet", "--diff").must(t, exitOK, "+\tdefer C.free(unsafe.Pointer(cs))", "1 finding would be mended (--fix does it)")
	seam(t, "vet", "--sarif", "-").must(t, exitFinding, `"version": "2.1.0"`, "never freed")
	seam(t, "vet", "--fix").must(t, exitOK, "leaky.go: 1 change", "1 finding mended")
	seam(t, "vet").must(t, exitOK, "nothing found in 1 package", "")
	if text, err := os.ReadFile("leaky.go"); err != nil || strings.Count(string(text), "defer C.free") != 1 {
		t.Errorf("the mended file is %s (%v)", text, err)
	}
}

func TestVetMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module example.com/leaky\n\ngo 1.25.0\n")
	seam(t, "vet", "--rules", "cstring-leek").must(t, exitUsage, "", "did you mean cstring-leak?")
	t.Run("no cgo", func(t *testing.T) { // nothing is found where nothing is looked at
		t.Setenv("CGO_ENABLED", "0")
		writeFile(t, "leaky.go", leaky)
		seam(t, "vet").must(t, exitUsage, "", "CGO_ENABLED is 0")
	})
	seam(t, "vet", "./nowhere").must(t, exitUsage, "", "nowhere")
	seam(t, "vet", "--lab", "go.mod").must(t, exitUsage, "", "go.mod")
	seam(t, "vet", "--profile", "go.mod").must(t, exitUsage, "", "is no profile")
	seam(t, "vet", "--config", "none").must(t, exitUsage, "", "none")
	seam(t, "vet", "--list").must(t, exitOK, "handle-leak", "")
}

// What doesn't compile, and what needs a header that isn't there, is said once.
func TestVetBroken(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module example.com/leaky\n\ngo 1.25.0\n")
	writeFile(t, "leaky.go", strings.Replace(leaky, "string.h", "no-such-header.h", 1))
	seam(t, "vet").must(t, exitFinding, "what is C's has no type here", "1 finding")
	writeFile(t, "leaky.go", leaky+"\nfunc broken( {\n")
	c := seam(t, "vet")
	if c.code == exitOK || strings.Contains(c.errout, "panic") {
		t.Errorf("broken code gives code %d: %s", c.code, c.errout)
	}
}
