package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"

	"github.com/seamgo/seam/cmd/seam/internal/output"
)

const checkedC = `
struct inner { char tag; double value; };
typedef struct {
	int id;
	struct inner in[2];
	unsigned low:4, high:4;
	union { int i; float f; };
	void *next;
	short last;
	char pad[6];
} outer_t;
struct of_int { int a, b; };
enum colour { RED };
`

const checkedGo = `package m

/*
#include "types.h"
#include "layout_seam.h"
*/
import "C"

import "unsafe"

type Inner struct { Tag int8; Value float64 }

//seam:layout outer_t
type Outer struct {
	ID int32
	In [2]Inner
	Bits uint32
	U [4]byte
	next unsafe.Pointer
	Last int16
	_ [6]byte
}

//seam:layout Pair[int32]=struct of_int
type Pair[T any] struct { A, B T }

//seam:layout enum colour
type Colour uint32

var _ = C.sizeof_outer_t
`

// writeChecks writes the checks of a package.
func writeChecks(t *testing.T, dir string, change func(*Options)) *Outcome {
	t.Helper()
	out, err := runs(t, dir, change)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Report.Pairs {
		if r := &out.Report.Pairs[i]; !r.Agrees {
			t.Fatalf("%s and %s differ:\n%s", r.GoName, r.CName, said(r))
		}
	}
	changed, err := output.Changed(out.Files, "seam layout", Generated)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range changed {
		if err := os.WriteFile(f.Path, f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestChecksStopTheBuildWhenALayoutChanges(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	needC(t)
	dir := module(t, map[string]string{"m.go": checkedGo, "types.h": checkedC})
	if out := writeChecks(t, dir, nil); len(out.Warnings) > 0 {
		t.Errorf("warnings: %q", out.Warnings)
	}
	if said, err := command(t, dir, "go", "vet", "."); err != nil {
		t.Fatalf("the checks don't compile: %v\n%s", err, said)
	}
	for _, c := range []struct{ name, file, old, new, want, again string }{
		{"a field of Go is moved", "m.go", "ID int32\n", "_ int64\n\tID int32\n", "unsafe.Offsetof(Outer{}.ID)", "ID: at 8 in Go, at 0 in C"},
		{"a field of Go within a struct is moved", "m.go", "Tag int8; Value float64", "Value float64; Tag int8", "unsafe.Offsetof(Outer{}.In[0].Tag)", ""},
		{"Go's struct is longer", "m.go", "\t_ [6]byte\n", "\t_ [14]byte\n", "unsafe.Sizeof(Outer{})", ""},
		{"a generic type changes", "m.go", "A, B T", "A, C, B T", "unsafe.Sizeof(Pair[int32]{})", ""},
		{"a type of Go is no struct", "m.go", "type Colour uint32", "type Colour uint64", "unsafe.Sizeof(*new(Colour))", ""},
		{"a field of C is moved", "types.h", "char tag; double value;", "double value; char tag;", "in[0].tag of outer_t must be at 8, as in Go's Outer: run seam layout", ""},
		{"C's struct is aligned to more", "types.h", "} outer_t", "} __attribute__((aligned(64))) outer_t", "outer_t must be aligned to 8", "C to 64 bytes"},
		{"C's struct is longer", "types.h", "short last;", "short last; double more;", "outer_t must have 64 bytes", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(dir, c.file)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), c.old, c.new, 1)
			if changed == string(text) {
				t.Fatal("nothing is changed")
			}
			write(t, dir, c.file, changed)
			defer write(t, dir, c.file, string(text))
			told, err := command(t, dir, "go", "build", ".")
			if err == nil || !strings.Contains(told, c.want) {
				t.Errorf("go build: %v, want %q in\n%s", err, c.want, told)
			}
			if c.again == "" {
				return
			}
			// The checks that are out of date don't stand in seam's own way.
			out, err := runs(t, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(said(&out.Report.Pairs[0]), c.again) || out.Report.Differing() != 1 || len(out.Files) != 0 {
				t.Errorf("%d pairs differ, %d files would be written", out.Report.Differing(), len(out.Files))
			}
		})
	}
	out, err := runs(t, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := output.Changed(out.Files, "seam layout", Generated); err != nil || len(changed) > 0 {
		t.Errorf("the files are not as they would be written: %v, %v", changed, err)
	}
	// C++ reads the same header.
	if _, err := exec.LookPath("g++"); err == nil {
		write(t, dir, "x/check.cc", "#include \"../types.h\"\n#include \"../layout_seam.h\"\n")
		if said, err := command(t, dir, "g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "x/check.cc"); err != nil {
			t.Errorf("as C++17: %v\n%s", err, said)
		}
	}
	write(t, dir, "x/check.c", "#include \"../types.h\"\n#include \"../layout_seam.h\"\n")
	if said, err := command(t, dir, "gcc", "-std=c11", "-Wall", "-Werror", "-pedantic", "-fsyntax-only", "x/check.c"); err != nil {
		t.Errorf("as C11: %v\n%s", err, said)
	}
}

func TestChecksAreBuiltWhereTheTypesAre(t *testing.T) {
	t.Parallel()
	needC(t)
	dir := module(t, map[string]string{
		"m_linux.go": "//go:build special || !race\n\npackage m\n\n//seam:layout struct p\ntype P struct { A int32 }\n",
		"p.h":        "struct p { int a; };\n",
	})
	out := writeChecks(t, dir, func(o *Options) { o.Headers = []string{"p.h"}; o.Tags = "special" })
	var text string
	for _, f := range out.Files {
		text += string(f.Text)
	}
	for _, want := range []string{") && (special || !race) && linux\n", "#include \"p.h\"\n", "package m\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "&& cgo") {
		t.Errorf("a package without cgo needs it:\n%s", text)
	}
	if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "does not include layout_seam.h") {
		t.Errorf("warnings: %q", out.Warnings)
	}
	for _, args := range [][]string{{"vet", "-tags=special", "."}, {"vet", "."}} {
		if said, err := command(t, dir, "go", args...); err != nil {
			t.Errorf("go %q: %v\n%s", args, err, said)
		}
	}
}

// The header that includes the checks may be anywhere, and the checks be yet to be
// written.
func TestChecksIncludedFromElsewhere(t *testing.T) {
	t.Parallel()
	needC(t)
	const program = "package p\n\n/*\n#cgo CFLAGS: -I${SRCDIR}/../include\n#include <q.h>\n*/\nimport \"C\"\n\n//seam:layout struct q\ntype Q struct { A int32 }\n"
	dir := module(t, map[string]string{
		"p/p.go":      program,
		"include/q.h": "struct q { int a; };\n#include \"layout_seam.h\"\n",
	})
	out := writeChecks(t, filepath.Join(dir, "p"), nil)
	if len(out.Warnings) > 0 {
		t.Errorf("warnings: %q", out.Warnings)
	}
	if said, err := command(t, filepath.Join(dir, "p"), "go", "vet", "."); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	// The go command does not look at headers of other folders.
	write(t, dir, "include/q.h", "struct q { int b, a; };\n#include \"layout_seam.h\"\n")
	write(t, dir, "p/p.go", strings.Replace(program, "package p", "// Changed.\npackage p", 1))
	if said, err := command(t, filepath.Join(dir, "p"), "go", "build", "."); err == nil || !strings.Contains(said, "struct q must have 4 bytes") {
		t.Errorf("%v\n%s", err, said)
	}
}

// What cgo makes of a type is not taken from the go command's cache when a header
// of another folder has changed.
func TestHeaderOfAnotherFolderChanges(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	needC(t)
	dir := module(t, map[string]string{
		"p/p.go":      "package p\n\n/*\n#cgo CFLAGS: -I${SRCDIR}/../include\n#include <q.h>\n*/\nimport \"C\"\n\n//seam:layout struct q\ntype Q = C.struct_q\n",
		"include/q.h": "struct q { int a; };\n",
	})
	for _, fields := range []string{"int a;", "int b, a;", "double a;"} {
		write(t, dir, "include/q.h", "struct q { "+fields+" };\n")
		out, err := runs(t, filepath.Join(dir, "p"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := &out.Report.Pairs[0]; !r.Agrees {
			t.Errorf("%s: what cgo makes of it differs:\n%s", fields, said(r))
		}
	}
}

// An architecture of 32 bits has files of its own, which say nothing elsewhere.
func TestChecksOf32Bits(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	const cc = "arm-linux-gnueabihf-gcc"
	testenv.Foreign(t, cc)
	dir := module(t, map[string]string{"m.go": "package m\n\n/*\nstruct p { int a; void *b; long c; };\n#include \"layout_seam_arm.h\"\n#include \"layout_seam.h\"\n*/\nimport \"C\"\n\n//seam:layout struct p\ntype P struct { A int32; B uintptr; C int }\n"})
	native := writeChecks(t, dir, nil)
	t.Setenv("GOARCH", "arm")
	t.Setenv("CC", cc)
	arm := writeChecks(t, dir, nil)
	if n, a := native.Report.Pairs[0].Go.Size, arm.Report.Pairs[0].Go.Size; a != 12 || n <= a && native.Report.Target.Word == 8 {
		t.Errorf("%d bytes here, %d on arm", n, a)
	}
	if len(arm.Files) != 2 || filepath.Base(arm.Files[0].Path) != "layout_seam_arm.go" || len(arm.Warnings) > 0 {
		t.Errorf("%+v", arm)
	}
	if said, err := command(t, dir, "go", "vet", "."); err != nil {
		t.Errorf("on arm: %v\n%s", err, said)
	}
	os.Unsetenv("GOARCH")
	os.Unsetenv("CC")
	if said, err := command(t, dir, "go", "vet", "."); err != nil {
		t.Errorf("here: %v\n%s", err, said)
	}
}

func TestChecksReplaceNothingOfOthers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "layout_seam.go", "package mine\n")
	if _, err := output.Changed([]output.File{{Path: filepath.Join(dir, "layout_seam.go"), Text: []byte(generated)}}, "seam layout", Generated); err == nil || !strings.Contains(err.Error(), "was not written by seam layout") {
		t.Errorf("error %v", err)
	}
}
