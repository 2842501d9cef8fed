//go:build linux && cgo

package cli

import (
	"encoding/json"
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

// inModule goes to a new module without files of Go, and has a cache of its own.
func inModule(t *testing.T) {
	t.Helper()
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module example.com/leaky\n\ngo 1.25.0\n")
}

// From the first look at a module to the mended one, as a user goes.
func TestVet(t *testing.T) {
	inModule(t)
	writeFile(t, "leaky.go", leaky)

	seam(t, "vet", "./...").must(t, exitFinding, "leaky.go:10:8: error: the memory from C.CString is never freed [memory-leak]", "1 finding of severity warning or above")
	seam(t, "vet", "--write-baseline", "known.json").must(t, exitOK, "", "")
	seam(t, "vet", "--baseline", "known.json").must(t, exitOK, "nothing found in 1 package; 1 known to the baseline", "")
	writeFile(t, ".seam-vet", "cstring-leak note\n")
	seam(t, "vet").must(t, exitOK, "1 finding not shown: --show note", "")
	if err := os.Remove(".seam-vet"); err != nil {
		t.Fatal(err)
	}
	seam(t, "vet", "--rules", "keepalive,errno-thread").must(t, exitOK, "nothing found", "")
	seam(t, "vet", "--diff").must(t, exitOK, "+\tdefer C.free(unsafe.Pointer(cs))", "1 finding would be fixed (--fix does it)")
	seam(t, "vet", "--sarif", "-").must(t, exitFinding, `"version": "2.1.0"`, "never freed")
	seam(t, "vet", "--fix").must(t, exitOK, "leaky.go: 1 change", "1 finding fixed")
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
		writeFile(t, "leaky.go", "package leaky\n")
		seam(t, "vet").must(t, exitOK, "nothing found in 1 package", "")
		writeFile(t, "leaky.go", leaky)
	})
	seam(t, "vet", "./nowhere").must(t, exitUsage, "", "nowhere")
	seam(t, "vet", "--lab", "go.mod").must(t, exitUsage, "", "go.mod")
	seam(t, "vet", "--profile", "go.mod").must(t, exitUsage, "", "is no profile")
	seam(t, "vet", "--config", "none").must(t, exitUsage, "", "none")
	seam(t, "vet", "--list").must(t, exitOK, "handle-leak", "")
	seam(t, "vet", "--list", "--rules", "keepalive").must(t, exitOK, "runtime.KeepAlive(t)", "")
	seam(t, "vet", "--list", "--rules", "keepalife").must(t, exitUsage, "", "did you mean keepalive?")
}

// What doesn't compile, and what needs a header that isn't there, is said once.
func TestVetBroken(t *testing.T) {
	inModule(t)
	writeFile(t, "leaky.go", strings.Replace(leaky, "string.h", "no-such-header.h", 1))
	seam(t, "vet").must(t, exitFinding, "what is C's has no type here", "1 finding")
	writeFile(t, "leaky.go", leaky+"\nfunc broken( {\n")
	c := seam(t, "vet")
	if c.code == exitOK || strings.Contains(c.errout, "panic") {
		t.Errorf("broken code gives code %d: %s", c.code, c.errout)
	}
}

// Every form of the report, where it was asked for: the text stays on standard output unless another
// form goes there.
func TestVetForms(t *testing.T) {
	inModule(t)
	writeFile(t, "leaky.go", leaky)
	const found = "leaky.go:10:8: error: the memory from C.CString is never freed"
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	seam(t, "vet", "--json", "vet.json", "--html", "vet.html", "--sarif", "vet.sarif").must(t, exitFinding, found, "1 finding")
	var report struct {
		Schema   string
		Packages int
		Findings []struct {
			Rule, Severity, File, Package, Source string
			Line, Column                          int
			Fixes                                 []struct{ Message string }
		}
	}
	if err := json.Unmarshal([]byte(read("vet.json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Schema != "seam.vet/1" || report.Packages != 1 || len(report.Findings) != 1 {
		t.Fatalf("the report is %+v", report)
	}
	if f := report.Findings[0]; f.Rule != "memory-leak" || f.Severity != "error" || f.File != "leaky.go" || f.Line != 10 || f.Column != 8 ||
		f.Package != "example.com/leaky" || strings.TrimSpace(f.Source) != "cs := C.CString(s)" || len(f.Fixes) != 1 {
		t.Errorf("the finding is %+v", f)
	}
	for _, want := range []string{"<!DOCTYPE html>", "leaky.go:10", "is never freed", "defer C.free(unsafe.Pointer(cs))"} {
		if !strings.Contains(read("vet.html"), want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if !strings.Contains(read("vet.sarif"), `"ruleId": "memory-leak"`) {
		t.Error("SARIF lacks the finding")
	}

	c := seam(t, "vet", "--json", "-")
	c.must(t, exitFinding, `"schema": "seam.vet/1"`, found)
	if err := json.Unmarshal([]byte(c.out), &report); err != nil {
		t.Errorf("standard output is not JSON alone: %v", err)
	}
	seam(t, "vet", "--html", "-").must(t, exitFinding, "leaky.go:10", found)
	seam(t, "vet", "--json", "nowhere/vet.json").must(t, exitUsage, "", "nowhere")
}

// The file of settings is the one that is named, or .seam-vet here or beside go.mod.
func TestVetConfig(t *testing.T) {
	inModule(t)
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "sub/leaky.go", leaky)
	writeFile(t, ".seam-vet", "cstring-leak off\n")
	writeFile(t, "other", "cstring-leak note\n")

	seam(t, "vet", "./...").must(t, exitOK, "nothing found", "")
	seam(t, "vet", "--config", "other", "./...").must(t, exitOK, "1 finding not shown: --show note", "")
	seam(t, "vet", "--config", "other", "--show", "note", "./...").must(t, exitOK, "leaky.go:10:8: note: the memory from C.CString", "")
	seam(t, "vet", "--config", "other", "--fail", "note", "./...").must(t, exitFinding, "", "1 finding of severity note or above")
	t.Chdir("sub")
	seam(t, "vet").must(t, exitOK, "nothing found", "")
	writeFile(t, ".seam-vet", "cstring-leak warning\n")
	seam(t, "vet").must(t, exitFinding, "leaky.go:10:8: warning: the memory from C.CString", "1 finding of severity warning or above")
	writeFile(t, "wrong", "cstring-leak loud\n")
	seam(t, "vet", "--config", "wrong").must(t, exitUsage, "", `wrong:1: "loud" is no severity`)
}
