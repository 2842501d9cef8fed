package prof

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/prof/symbols"
	"github.com/seamgo/seam/internal/testenv"
)

// buildShapes builds a program with a function that another is inlined into, and returns where that is.
func buildShapes(t *testing.T) (exe, address string) {
	t.Helper()
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	dir := t.TempDir()
	exe = filepath.Join(dir, "c")
	source := exe + ".c"
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
	address = strings.TrimLeft(string(found[1]), "0")
	return exe, address
}

// A report's places get their functions and lines, those of inlined functions too; all else
// stays as it is, and a file that isn't the one that crashed names nothing.
func TestWriteCrash(t *testing.T) {
	exe, address := buildShapes(t)
	source := exe + ".c"
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
	found, err := WriteCrash(&b, strings.NewReader(report), exe)
	if err != nil || found.Named != 2 || len(found.Notes) != 2 || !strings.Contains(found.Notes[0], "has no build IDs: that ") || !strings.Contains(found.Notes[1], "libnone.so.1") {
		t.Errorf("%d named, notes %q, %v", found.Named, found.Notes, err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}

	b.Reset()
	if _, err := WriteCrash(&b, strings.NewReader(report), ""); !errors.Is(err, ErrNoProgram) || b.String() != report {
		t.Errorf("without the program: %v\n%s", err, b.String())
	}
	b.Reset()
	other := strings.ReplaceAll(report, "_ZN6shapes4areaEi", "something_else")
	if found, err := WriteCrash(&b, strings.NewReader(other), exe); err != nil || len(found.Notes) != 3 || !strings.Contains(found.Notes[1], "is not the file that crashed: where the report has something_else, it has shapes::area") || b.String() != other {
		t.Errorf("another file: %q, %v\n%s", found.Notes, err, b.String())
	}
}

// What has collected a report puts something in front of each line, or has made JSON of it.
func TestCollectedCrash(t *testing.T) {
	exe, address := buildShapes(t)
	m, err := symbols.Open(exe)
	if err != nil || m.BuildID == "" {
		t.Fatalf("%q, %v", m.BuildID, err)
	}
	lines := []string{
		"seam: SIGSEGV in C, at _ZN6shapes4areaEi+0x0 (program 0x" + address + ")",
		"seam: process 12 (a (b)), thread 13 (work), 2026-11-27 06:50:12 UTC, go1.26.8, glibc 2.36",
		"seam: address 0x8: near NULL, nothing is mapped there",
		"seam: the C stack (Go's report below has the Go functions that called it):",
		"\t_ZN6shapes4areaEi+0x0 (program 0x" + address + ")",
		"seam: build IDs:",
		"\tprogram: " + m.BuildID,
		"seam: registers:",
	}
	quoted := func(s string) string { return strings.ReplaceAll(s, "\t", `\t`) }
	for name, with := range map[string]func(i int, line string) string{
		"as it is":         func(_ int, l string) string { return l },
		"kubernetes":       func(_ int, l string) string { return "2026-11-27T01:02:03.123Z stderr F " + l },
		"journalctl":       func(_ int, l string) string { return "Nov 27 01:02:03 host server[12]: " + l },
		"kubectl --prefix": func(_ int, l string) string { return "[pod/shop-5f/server] " + l },
		"compose":          func(_ int, l string) string { return "server-1  | " + l },
		"rsyslog": func(_ int, l string) string {
			return "Nov 27 01:02:03 host server: " + strings.ReplaceAll(l, "\t", "#011")
		},
		"times that differ": func(i int, l string) string { return fmt.Sprintf("%d.%03d\t", i*7, i) + l },
		"docker": func(_ int, l string) string {
			return `{"log":"` + quoted(l) + `\n","stream":"stderr","time":"2026-11-27T01:02:03Z"}`
		},
		"journald's JSON": func(_ int, l string) string { return `{"_PID":"12","MESSAGE":"` + quoted(l) + `","PRIORITY":"6"}` },
		"JSON in JSON's": func(_ int, l string) string {
			return `2026-11-27 x {"kubernetes":{"pod":"a \"b\" c"},"log":"` + quoted(l) + `"}`
		},
		"DOS":             func(_ int, l string) string { return l + "\r" },
		"spaces for tabs": func(_ int, l string) string { return "server-1  | " + strings.ReplaceAll(l, "\t", "        ") },
		"no tabs":         func(_ int, l string) string { return strings.TrimSpace(l) },
		"colours":         func(_ int, l string) string { return "\x1b[31m" + l + "\x1b[0m" },
		"logfmt":          func(i int, l string) string { return fmt.Sprintf("ts=%d.5 level=error msg=%q", i, l) },
		"JSON twice": func(i int, l string) string {
			inner := `{"n":` + fmt.Sprint(i) + `,"msg":"` + quoted(l) + `"}`
			return `{"log":"` + strings.ReplaceAll(strings.ReplaceAll(inner, `\`, `\\`), `"`, `\"`) + `\n"}`
		},
	} {
		var log strings.Builder
		log.WriteString("something else\n")
		for i, l := range lines {
			log.WriteString(with(i, l) + "\n")
		}
		var b strings.Builder
		found, err := WriteCrash(&b, strings.NewReader(log.String()), exe)
		if err != nil || found.Named != 2 || len(found.Notes) != 0 || len(found.Events) != 1 || strings.Count(b.String(), "shapes::area") < 1 || strings.Count(b.String(), "c.c:2") != 2 {
			t.Errorf("%s: %d named, notes %q, %v:\n%s", name, found.Named, found.Notes, err, b.String())
			continue
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if at := strings.IndexByte(line, '{'); at >= 0 && !json.Valid([]byte(line[at:])) {
				t.Errorf("%s: no JSON: %s", name, line)
			}
		}
		e := found.Events[0]
		if e.Signal != "SIGSEGV" || e.Process != 12 || e.Thread != 13 || e.Program != "a (b)" || e.Name != "work" || e.Go != "go1.26.8" || len(e.Frames) != 2 || e.Frames[1].Func != "shapes::area" {
			t.Errorf("%s: %+v", name, e)
		}
		var events strings.Builder
		if err := WriteEvents(&events, found.Events); err != nil || !json.Valid([]byte(events.String())) || !strings.Contains(events.String(), `"code_id":"`+m.BuildID) || !strings.Contains(events.String(), `"function":"shapes::area"`) {
			t.Errorf("%s: %v: %s", name, err, events.String())
		}
	}

	// A collector of whole events has a report in one string; a log that was put away is compressed.
	report := strings.Join(lines, "\n") + "\n"
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	_, err = z.Write([]byte(report))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	// Two containers at once, of which one runs another build, and one whose log begins too late.
	zeros := strings.Repeat("0", len(m.BuildID))
	var both, late strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&both, "a-1 | %s\na-2 | %s\n", l, strings.ReplaceAll(l, m.BuildID, zeros))
		if i > 1 {
			late.WriteString(l + "\n")
		}
	}
	for name, c := range map[string]struct {
		log   string
		named int
		notes []string
	}{
		"JSON":   {fmt.Sprintf("{\"a\":1,\"message\":%q}\n", report), 2, nil},
		"logfmt": {fmt.Sprintf("level=error msg=%q n=1\n", report), 2, nil},
		"gzip":   {small.String(), 2, nil},
		"two":    {both.String(), 2, []string{"another build"}},
		"late":   {strings.ReplaceAll(late.String(), "seam: the C stack", "seam: stack pointer 0x8: rw\nseam: the C stack"), 1, []string{"the beginning of a report is not in this log"}},
		"early":  {strings.Join(lines[:5], "\n"), 2, []string{"or what of it is here, has no build IDs"}},
	} {
		var b strings.Builder
		found, err := WriteCrash(&b, strings.NewReader(c.log), exe)
		if err != nil || found.Named != c.named || len(found.Notes) != len(c.notes) || !strings.Contains(b.String(), "shapes::area") {
			t.Errorf("%s: %d named, notes %q, %v:\n%s", name, found.Named, found.Notes, err, b.String())
			continue
		}
		for i, want := range c.notes {
			if !strings.Contains(found.Notes[i], want) {
				t.Errorf("%s: note %q, want %q", name, found.Notes[i], want)
			}
		}
		if name == "JSON" && !json.Valid([]byte(b.String())) {
			t.Errorf("no JSON: %s", b.String())
		}
	}
	var events strings.Builder
	found, err := WriteCrash(io.Discard, strings.NewReader(both.String()), exe)
	if err := errors.Join(err, WriteEvents(&events, found.Events)); err != nil || len(found.Events) != 2 || len(found.Events[0].Frames) != 2 || len(found.Events[1].Frames) != 1 || strings.Count(events.String(), zeros) < 1 {
		t.Errorf("two at once: %v, %+v\n%s", err, found.Events, events.String())
	}

	// Another build has other functions there, by the same names or not: none is told.
	other := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", m.BuildID, strings.Repeat("0", len(m.BuildID)))
	var b strings.Builder
	found, err = WriteCrash(&b, strings.NewReader(other), exe)
	if err != nil || found.Named != 0 || b.String() != other || len(found.Notes) != 1 || !strings.Contains(found.Notes[0], exe+" is not the file that crashed, but another build: its build ID is "+m.BuildID) {
		t.Errorf("another build: %d named, %q, %v\n%s", found.Named, found.Notes, err, b.String())
	}
	// Two reports in one log are of a build each.
	b.Reset()
	found, err = WriteCrash(&b, strings.NewReader(other+strings.Join(lines, "\n")), exe)
	if err != nil || found.Named != 2 || len(found.Notes) != 1 || len(found.Events) != 2 || !strings.HasPrefix(b.String(), other) {
		t.Errorf("two builds: %d named, %q, %v\n%s", found.Named, found.Notes, err, b.String())
	}
}

// A log may have anything in it.
func FuzzWriteCrash(f *testing.F) {
	f.Add("seam: SIGSEGV in C, at f+0x1 (program 0x10)\nseam: the C stack\n\tf+0x1 (program 0x10)\nseam: build IDs:\n\tprogram: none\n")
	f.Add(`{"log":"seam: SIGSEGV in C, at f (program 0x1)\n"}`)
	f.Add(`{"log":"seam: SIGSEGV in C, at f (program 0x1)\nseam: the C stack\n\tf \u003c(/x 0x1)\n"} "`)
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		if _, err := WriteCrash(&b, strings.NewReader(text), ""); err == nil && b.String() != text {
			t.Errorf("%q became %q, of which nothing is known", text, b.String())
		}
	})
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
