//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// mistakes is a package with one mistake of each kind that running its tests shows.
const mistakes = `package mistakes

/*
#include <stdlib.h>
#include <string.h>
struct tree { int n; };
static struct tree *tree_new(int n) { struct tree *t = malloc(sizeof *t); t->n = n; return t; }
static int tree_len(struct tree *t) { return t->n; }
static void tree_free(struct tree *t) { t->n = -1; free(t); }
struct box { void *p; };
*/
import "C"

import (
	"runtime"
	"unsafe"
)

type Tree struct{ c *C.struct_tree }

func New(n int) *Tree {
	t := &Tree{C.tree_new(C.int(n))}
	runtime.SetFinalizer(t, (*Tree).free)
	return t
}

func (t *Tree) free() { C.tree_free(t.c) }

func (t *Tree) Len() int { return int(C.tree_len(t.c)) }

func (t *Tree) Unused() int { n, _ := C.tree_len(t.c); return int(n) }

func Len(s string) int {
	cs := C.CString(s)
	return int(C.strlen(cs))
}

func Keep(b []byte) *C.struct_box {
	x := (*C.struct_box)(C.malloc(C.sizeof_struct_box))
	x.p = unsafe.Pointer(&b[0])
	return x
}

func Never(b []byte) *C.struct_box {
	x := (*C.struct_box)(C.malloc(C.sizeof_struct_box))
	x.p = unsafe.Pointer(&b[0])
	return x
}
`

const mistakesTest = `package mistakes

import "testing"

func TestLen(t *testing.T) {
	for i := range 9 {
		if n := New(i).Len(); n != i {
			t.Errorf("%d: %d", i, n)
		}
	}
}

func TestString(t *testing.T) {
	for range 3 {
		Len("hello")
	}
}

func TestKeep(t *testing.T) { Keep(make([]byte, 100)) }
`

// cutTest cuts off the record of a process that it has started.
const cutTest = `package mistakes

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"strconv"
	"testing"
)

func TestCut(t *testing.T) {
	if os.Getenv("CUT") != "" {
		Len("lost")
		return
	}
	c := exec.Command(os.Args[0], "-test.run", "Cut")
	c.Env = append(os.Environ(), "CUT=1")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("SEAM_LEAKS"), "*"))
	cut := 0
	for _, f := range files {
		if strings.Contains(filepath.Base(f), strconv.Itoa(c.Process.Pid)) {
			cut++
			os.Truncate(f, 4200)
		}
	}
	if cut == 0 {
		t.Fatal("no record of the child in ", files)
	}
}
`

func TestVetConfirms(t *testing.T) {
	testenv.Builds(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module example.com/mistakes\n\ngo 1.25.0\n")
	writeFile(t, "mistakes.go", mistakes)
	writeFile(t, "mistakes_test.go", mistakesTest)

	out := seam(t, "vet", "--confirm")
	out.must(t, exitFinding, "seen: a finalizer or cleanup gave C.tree_free what C.tree_len was still given (example.com/mistakes.(*Tree).free)", "3 of 3")
	for _, want := range []string{
		"mistakes.go:29:39: error: t is not used", // a warning, if it hadn't been seen
		"not seen: garbage was collected at",      // in Unused
		"seen: 3 blocks from here were never freed",
		"seen: the runtime stopped the program: fatal error: unpinned Go pointer stored into non-Go memory",
	} {
		if !strings.Contains(out.out, want) {
			t.Errorf("%q is missing in\n%s", want, out.out)
		}
	}
	if strings.Contains(out.out, "collected at 0 calls") {
		t.Error("no call collected garbage")
	}
	if strings.Contains(out.out, "not known") {
		t.Errorf("something failed:\n%s", out.out)
	}

	// What comes after a stop isn't said to be fine.
	if strings.Contains(out.out, "stopped nothing here") {
		t.Errorf("nobody knows that of a program that was stopped:\n%s", out.out)
	}

	// What tests don't come to is not seen, and one rule needs one run.
	seam(t, "vet", "--rules", "cstring-leak", "--confirm-run", "go test -run TestKeep").
		must(t, exitFinding, "not seen: of the 1 block that Go got from C in 1 process, none from here was left or freed twice", "1 of 1")
	// Half a recording shows what is in it, and nothing of what isn't.
	writeFile(t, "cut_test.go", cutTest)
	cut := seam(t, "vet", "--rules", "cstring-leak", "--confirm-run", "go test -run Cut")
	cut.must(t, exitFinding, "cut off", "1 of 1")
	if strings.Contains(cut.out, "seen:") {
		t.Errorf("marked by what isn't there:\n%s", cut.out)
	}
	// Tests that don't build, or fail, are no evidence.
	writeFile(t, "fail_test.go", "package mistakes\n\nimport \"testing\"\n\nfunc TestFail(t *testing.T) { t.Fatal(\"as it is\") }\n")
	fail := seam(t, "vet", "--rules", "cstring-leak", "--confirm-run", "go test -run Fail")
	fail.must(t, exitFinding, "as it is", "1 of 1")
	if strings.Contains(fail.out, "seen:") {
		t.Errorf("marked by tests that failed:\n%s", fail.out)
	}
	// Of what is known nothing is run.
	seam(t, "vet", "--rules", "cstring-leak", "--write-baseline", "known.json").must(t, exitOK, "", "")
	seam(t, "vet", "--rules", "cstring-leak", "--baseline", "known.json", "--confirm").must(t, exitOK, "", "")
	writeFile(t, "broken_test.go", "package mistakes\n\nvar x int = \"\"\n")
	seam(t, "vet", "--rules", "keepalive", "--confirm").must(t, exitFinding, "broken_test.go:3:13", "1 of 1")
	for command, says := range map[string]string{
		"go build .":  "a program that is only built shows nothing",
		"go vet":      "--confirm-run",
		"go test 'x":  "--confirm-run",
		"make -C /no": "--confirm-run",
	} {
		seam(t, "vet", "--confirm-run", command).must(t, exitUsage, "", says)
	}
}
