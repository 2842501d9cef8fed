//go:build linux && cgo

package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// examplesOf are the commands in a verb's help that call it, a line each.
func examplesOf(t *testing.T, help, verb string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(help) {
		if line = strings.TrimSpace(line); strings.Contains(line, "seam "+verb) && !strings.Contains(line, "go:generate") {
			lines = append(lines, line)
		}
	}
	if len(lines) < 3 {
		t.Fatalf("%d examples in the help of %s", len(lines), verb)
	}
	return lines
}

// onPath makes this test binary the seam that a shell finds.
func onPath(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n" + programEnv + "='" + ownWords + "' exec '" + os.Args[0] + "' \"$@\"\n"
	testenv.WriteProgram(t, dir+"/seam", script)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("GORACE", "atexit_sleep_ms=0")
}

func shell(t *testing.T, line string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "sh", "-ec", line).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
}

// What the help shows works with what the module proxy has today: a package that a user
// gets now, not the one of the day that the help was written.
func TestExplainExamples(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	explained(t)
	t.Setenv("GOFLAGS", "-mod=mod")
	onPath(t)
	writeFile(t, "use.go", "package small\n\nimport _ \"github.com/mattn/go-sqlite3\"\n")
	shell(t, "go get github.com/mattn/go-sqlite3@latest")
	shell(t, "mkdir db; sed 's/small/db/; s/twice/db_get/' small.go >db/db.go")
	for _, line := range examplesOf(t, explainVerb{}.examples(), "explain") {
		if strings.Contains(line, "seam lab") {
			continue // measures, which is tested where it isn't for show
		}
		shell(t, line)
	}
}

func TestLayoutExamples(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	explained(t)
	onPath(t)
	shell(t, "rm small.go; mkdir geometry include")
	writeFile(t, "include/api.h", "struct point { int x, y; };\n")
	text := "/*\n#include <stdint.h>\nstruct point { int32_t x, y; };\ntypedef struct { struct point from, to; } path_t;\n*/\nimport \"C\"\n\n" +
		"//seam:layout struct point\ntype Point struct{ X, Y int32 }\n\ntype Path struct{ From, To Point }\n"
	writeFile(t, "geometry/geometry.go", "package geometry\n\n"+text)
	writeFile(t, "here.go", "package here\n\n"+text)
	for _, line := range examplesOf(t, layoutVerb{}.examples(), "layout") {
		if cc := "aarch64-linux-gnu-gcc"; strings.Contains(line, cc) {
			if _, err := exec.LookPath(cc); err != nil {
				continue
			}
		}
		shell(t, line)
	}
}
