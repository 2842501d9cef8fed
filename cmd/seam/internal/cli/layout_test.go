package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/layout"
	"github.com/seamgo/seam/internal/testenv"
)

func layoutModule(t *testing.T) (dir string) {
	t.Helper()
	testenv.Tool(t, "gcc")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GOWORK": "off", "GOFLAGS": "", "CGO_ENABLED": "1"} {
		t.Setenv(name, value)
	}
	t.Chdir(dir)
	writeLayout(t, "go.mod", "module example.com/m\n\ngo 1.25\n")
	writeLayout(t, "m.go", layoutSource)
	return dir
}

const layoutSource = `package m

/*
struct point { int x, y; };
#include "layout_seam.h"
*/
import "C"

//seam:layout struct point
type Point struct{ X, Y int32 }
`

func writeLayout(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestLayoutWritesAndChecks(t *testing.T) {
	testenv.OtherProgram(t)
	dir := layoutModule(t)
	file := filepath.Join(dir, "layout_seam.")
	seam(t, "layout", "--check").must(t, exitFinding, "missing  "+file+"go\nmissing  "+file+"h\n", "2 files are not what seam layout would write")
	seam(t, "layout", "--write").must(t, exitOK, file+"go\n"+file+"h\n", "")
	seam(t, "layout", "--write").must(t, exitOK, "up to date: 2 files", "")
	seam(t, "layout", "--check").must(t, exitOK, "up to date: 2 files", "")
	if out, err := exec.Command("go", "vet", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile("layout_seam.h")
	if err != nil {
		t.Fatal(err)
	}
	writeLayout(t, "layout_seam.h", string(text)+"\n")
	seam(t, "layout", "--check").must(t, exitFinding, "differs  "+file+"h", "1 file is not what seam layout would write")

	// Types that differ get no checks.
	writeLayout(t, "m.go", strings.Replace(layoutSource, "X, Y int32", "X int32; Y int64", 1))
	for _, flag := range []string{"--write", "--check"} {
		seam(t, "layout", flag).must(t, exitFinding, "8 bytes in Go (int64), 4 bytes in C (int)", "Go and C lay out 1 pair of 1 differently, so no checks are written")
	}
	if now, err := os.ReadFile("layout_seam.h"); err != nil || string(now) != string(text)+"\n" {
		t.Errorf("the file is written though the types differ (%v)", err)
	}
	writeLayout(t, "m.go", layoutSource)
	writeLayout(t, "layout_seam.go", "package m\n\n// mine\n")
	seam(t, "layout", "--write").must(t, exitUsage, "", "layout_seam.go was not written by seam layout")
}

func TestLayoutForms(t *testing.T) {
	testenv.OtherProgram(t)
	layoutModule(t)
	c := seam(t, "layout", "Point=C.struct_point", "--json", "-")
	c.must(t, exitOK, "", "")
	var report layout.Report
	if err := json.Unmarshal([]byte(c.out), &report); err != nil || len(report.Pairs) != 1 || !report.Pairs[0].Agrees {
		t.Errorf("%v: %s", err, c.out)
	}
	seam(t, "layout", "--html", "page.html").must(t, exitOK, "", "")
	if page, err := os.ReadFile("page.html"); err != nil || !strings.Contains(string(page), "<h2>Point and struct point</h2>") {
		t.Errorf("the page: %v", err)
	}
	seam(t, "layout").must(t, exitOK, "A  X   int32  x  int   0     4", "")
}

func TestLayoutRefuses(t *testing.T) {
	testenv.OtherProgram(t)
	layoutModule(t)
	for want, args := range map[string][]string{
		"is not the name of a C type":                {"Point=struct a b"},
		"did you mean struct point?":                 {"Point=struct pint"},
		"did you mean Point?":                        {"Pont=struct point"},
		"can't be used together":                     {"--write", "--check"},
		"folder nowhere does not exist":              {"--json", "nowhere/x.json"},
		"--lang must be one of":                      {"--lang", "rust"},
		"--header none.h: it is neither":             {"--header", "none.h"},
		"the size of a cache line is a power of two": {"--line", "63"},
	} {
		seam(t, append([]string{"layout"}, args...)...).must(t, exitUsage, "", want)
	}
}

// The committed checks of the example are as they would be written now, and its
// deliberate mismatch is shown.
func TestLayoutExample(t *testing.T) {
	testenv.OtherProgram(t)
	example, err := filepath.Abs("../../../../examples/layout")
	if err != nil {
		t.Fatal(err)
	}
	layoutModule(t)
	t.Setenv("GOWORK", "")
	t.Chdir(example)
	seam(t, "layout", "--check").must(t, exitOK, "up to date: 2 files", "")
	c := seam(t, "layout", "./mismatch")
	for _, want := range []string{
		"Value: at 8 in Go, at 1 in C: C's struct packet is packed", "value: cgo left it out: Go can't align a uint64_t to 1",
		"channel: Go has no field for C's channel", "3 pairs: 0 agree, 3 differ",
	} {
		c.must(t, exitFinding, want, "3 pairs of 3 differently")
	}
}

// What package mem and its header have in common lies alike.
func TestLayoutMem(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	seam(t, "layout", "--header", "../../../../include/seam/mem.h", "../../../../mem",
		"Str=seam_str", "Bytes=seam_bytes", "Span[int64]=seam_span", "Part=seam_part", "arenaHeader=seam_arena", "entry=seam_buffer_entry",
	).must(t, exitOK, "6 pairs: 6 agree, 0 differ", "")
}
