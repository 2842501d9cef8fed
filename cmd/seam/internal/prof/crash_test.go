package prof

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A report's places get their functions and lines, those of inlined functions too; all else
// stays as it is, and a file that isn't the one that crashed names nothing.
func TestWriteCrash(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	dir := t.TempDir()
	source, exe := filepath.Join(dir, "c.c"), filepath.Join(dir, "c")
	text := `static volatile int sink;
static inline __attribute__((always_inline)) void inlined(int n) { sink = n; sink = 2 * n; }
__attribute__((noinline)) void _ZN6shapes4areaEi(int n) { inlined(n); sink++; }
int main(void) { _ZN6shapes4areaEi(1); return 0; }
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O2", "-g", "-no-pie", "-o", exe, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("nm", exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`([0-9a-f]+) T _ZN6shapes4areaEi`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("no function in\n%s", out)
	}
	address := strings.TrimLeft(string(found[1]), "0")
	report := "before (not a place)\n" +
		"seam: SIGSEGV in C, at _ZN6shapes4areaEi+0x0 (program 0x" + address + ")\n" +
		"seam: the C stack:\n" +
		"\t_ZN6shapes4areaEi+0x0 (program 0x" + address + ")\n" +
		"\t[libnone.so.1] (/none/libnone.so.1 0x1234)\n" +
		"\tclock_gettime+0x1 (linux-vdso.so.1 0xc01)\n" +
		"goroutine 1 [syscall]:\nmain.main()\n\t/x/main.go:7 +0x1d\nthe end"
	want := "before (not a place)\n" +
		"seam: SIGSEGV in C, at inlined " + source + ":2 (program 0x" + address + ")\n" +
		"seam: the C stack:\n" +
		"\tinlined (inlined)\n\t\t" + source + ":2\n" +
		"\tshapes::area\n\t\t" + source + ":3 +0x0 (program 0x" + address + ")\n" +
		"\t[libnone.so.1] (/none/libnone.so.1 0x1234)\n" +
		"\tclock_gettime+0x1 (linux-vdso.so.1 0xc01)\n" +
		"goroutine 1 [syscall]:\nmain.main()\n\t/x/main.go:7 +0x1d\nthe end"
	var b strings.Builder
	named, notes, err := WriteCrash(&b, strings.NewReader(report), exe)
	if err != nil || named != 2 || len(notes) != 1 || !strings.Contains(notes[0], "libnone.so.1") {
		t.Errorf("%d named, notes %q, %v", named, notes, err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}

	b.Reset()
	if _, _, err := WriteCrash(&b, strings.NewReader(report), ""); !errors.Is(err, ErrNoProgram) || b.String() != report {
		t.Errorf("without the program: %v\n%s", err, b.String())
	}
	b.Reset()
	other := strings.ReplaceAll(report, "_ZN6shapes4areaEi", "something_else")
	if _, notes, err := WriteCrash(&b, strings.NewReader(other), exe); err != nil || len(notes) != 2 || !strings.Contains(notes[0], "is not the file that crashed: where the report has something_else, it has shapes::area") || b.String() != other {
		t.Errorf("another file: %q, %v\n%s", notes, err, b.String())
	}
}

// What the folder of a recording has of crashes is written again, from their first lines and
// stacks.
func TestOfCrash(t *testing.T) {
	const report = "seam: SIGSEGV in C, at f+0x1 (program 0x10)\nseam: address 0x8: near NULL\nseam: the C stack (and so on):\n\tf+0x1 (program 0x10)\n\tg+0x2 (program 0x20)\nseam: registers:\n\trip=0x10\n"
	if got, want := ofCrash(report), "seam: SIGSEGV in C, at f+0x1 (program 0x10)\n\tf+0x1 (program 0x10)\n\tg+0x2 (program 0x20)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := ofCrash("seam: SIGSEGV in C, at f+0x1 (program 0x10)\n"); got != "seam: SIGSEGV in C, at f+0x1 (program 0x10)\n\n" {
		t.Errorf("of a first line alone: %q", got)
	}
}
