//go:build linux && (amd64 || arm64)

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/memory/heap"
	"github.com/seamgo/seam/internal/testenv"
)

func TestHeapArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"heap"}, "nothing to look at"},
		{[]string{"heap", "--rate", "0", "--", "true"}, `"0" is no size`},
		{[]string{"heap", "--rate", "1TB", "--", "true"}, `"1TB" is no size`},
		{[]string{"heap", "--alloc", "pool_alloc", "--", "true"}, "with its arguments"},
		{[]string{"heap", "--alloc", "pool_alloc(_,size)", "--pid", "1"}, "--alloc is for a program that is run"},
		{[]string{"heap", "--rate", "lots", "--", "true"}, "is no size"},
		{[]string{"heap", "--every=-1s", "--", "true"}, "want more than 0"},
		{[]string{"heap", "--pid", "0"}, "want the number of a process"},
		{[]string{"heap", "--pid", "1", "--", "true"}, "leave one out"},
		{[]string{"heap", "--pid", "1", "--every", "1s"}, "take"},
		{[]string{"heap", "--for", "1s", "--", "true"}, "--for is for --pid"},
		{[]string{"heap", "--", "go", "build", "."}, "runs no program"},
		{[]string{"heap", "--", "go", "run", "-asan", "."}, "build it without -asan"},
		{[]string{"heap", "--", "no-such-program-here"}, "no-such-program-here"},
	} {
		seam(t, c.args...).must(t, exitUsage, "", c.says)
	}
}

// forgetful has C hold 3000 copies of a string of 1000 letters.
const forgetful = `package main

/*
#include <stdlib.h>
#include <string.h>
static char *copy(const char *s) { return strdup(s); }
*/
import "C"

import (
	"strings"
	"unsafe"
)

//go:noinline
func forget() {
	s := C.CString(strings.Repeat("x", 999))
	C.copy(s)
	C.free(unsafe.Pointer(s))
}

func main() {
	for range 3000 {
		forget()
	}
}
`

func TestHeap(t *testing.T) {
	testenv.GoProgram(t)
	testenv.Tool(t, "gcc")
	dir := t.TempDir()
	t.Chdir(dir)
	testenv.WriteProgram(t, "main.go", forgetful)
	testenv.WriteProgram(t, "go.mod", "module leaky\n\ngo 1.25\n")
	c := seam(t, "heap", "--rate", "1", "--json", "heap.json", "-o", "heap.pprof", "--html", "heap.html", "--", "go", "run", ".")
	if c.code != exitOK || !strings.Contains(c.errout, "strdup in copy") || !strings.Contains(c.errout, "for main.forget (main.go:") {
		t.Fatalf("exit code %d\n%s%s", c.code, c.out, c.errout)
	}
	text, err := os.ReadFile("heap.json")
	if err != nil {
		t.Fatal(err)
	}
	var r heap.Report
	if err := json.Unmarshal(text, &r); err != nil || r.Schema != heap.Schema || len(r.Sites) == 0 || r.Sites[0].Live != 3_000_000 || r.Sites[0].LiveObjects != 3000 || r.Sites[0].Go != "main.forget" {
		t.Errorf("%v: %+v", err, r.Sites[0])
	}
	f, err := os.Open("heap.pprof")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil || p.DefaultSampleType != "inuse_space" || p.PeriodType.Type != "space" || p.SampleType[1].Type != "inuse_objects" {
		t.Fatalf("%v: %v", err, p)
	}
	var live, objects int64
	for _, s := range p.Sample {
		for _, l := range s.Location {
			if l.Line[0].Function.Name == "main.forget" {
				live, objects = live+s.Value[0], objects+s.Value[1]
				break
			}
		}
	}
	if live != 3_000_000 || objects != 3000 {
		t.Errorf("the profile has %d bytes in %d blocks by main.forget", live, objects)
	}
	page, err := os.ReadFile("heap.html")
	if err != nil || !strings.Contains(string(page), "main.forget") || !strings.Contains(string(page), `"units":["bytes"`) {
		t.Errorf("%v: the page has no graph of it", err)
	}
}

func TestHeapPID(t *testing.T) {
	seam(t, "heap", "--pid", strconv.Itoa(os.Getpid())).must(t, exitFailed, "", "does not count what C allocates")
	seam(t, "heap", "--pid", "1073741824").must(t, exitFailed, "", "there is no such process")
}

// What can't be counted is said before it runs.
func TestHeapRefuses(t *testing.T) {
	testenv.GoProgram(t)
	gcc := testenv.Tool(t, "gcc")
	dir := t.TempDir()
	source := filepath.Join(dir, "a.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, flag, says string }{
		{"static", "-static", "is linked statically: no library can be put in front of its allocator"},
		{"asan", "-fsanitize=address", "build it without -asan"},
	} {
		program := filepath.Join(dir, c.name)
		if out, err := exec.CommandContext(t.Context(), gcc, c.flag, "-o", program, source).CombinedOutput(); err != nil {
			testenv.Missing(t, string(out))
			continue
		}
		seam(t, "heap", "--", program).must(t, exitUsage, "", c.says)
	}
}

// holding has C hold 200 blocks of 1000 bytes, a quarter of them from a destructor.
const holding = `
#include <stdlib.h>
static void *volatile keep;
__attribute__((noinline)) static void hold_site(int n) { while (n-- > 0) keep = malloc(1000); }
__attribute__((destructor)) static void end(void) { hold_site(50); }
int main(void) { hold_site(150); return 0; }
`

// The library is compiled for the program's C library.
func TestHeapOfMusl(t *testing.T) {
	testenv.GoProgram(t)
	testenv.Tool(t, "gcc")
	musl := testenv.Tool(t, "musl-gcc")
	program := filepath.Join(t.TempDir(), "holding")
	cmd := exec.CommandContext(t.Context(), musl, "-g", "-O1", "-x", "c", "-o", program, "-")
	cmd.Stdin = strings.NewReader(holding)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := seam(t, "heap", "--rate", "1", "--json", "-", "--", program)
	var r heap.Report
	if err := json.Unmarshal([]byte(c.out), &r); err != nil || c.code != exitOK {
		t.Fatalf("exit code %d, %v\n%s%s", c.code, err, c.out, c.errout)
	}
	blocks := int64(0)
	for _, p := range r.Sites {
		if p.C == "hold_site" {
			blocks += p.LiveObjects
		}
	}
	if blocks != 200 {
		t.Errorf("%d blocks of hold_site; want 200\n%s", blocks, c.errout)
	}
	// What is compiled for musl is not for others.
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", musl)
	seam(t, "heap", "--", sh, "-c", ":").must(t, exitFailed, "", "compiles for musl: name a compiler")
}

// Of Go in a library for C, what its runtime maps for Go's heap is not C's memory.
func TestHeapOfLibrary(t *testing.T) {
	testenv.Builds(t)
	gcc := testenv.Tool(t, "gcc")
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module library\n\ngo 1.25\n")
	writeFile(t, "library.go", `package main

// #include <stdlib.h>
// static void *volatile keep;
// __attribute__((noinline)) static void hold_site(int n) { while (n-- > 0) keep = malloc(1000); }
import "C"

//export Hold
func Hold() { C.hold_site(200) }

func main() {}
`)
	writeFile(t, "main.c", `#include <dlfcn.h>
int main(void) {
	void *l = dlopen("./library.so", RTLD_NOW);
	if (!l)
		return 9;
	((void (*)(void))dlsym(l, "Hold"))();
	return 0;
}
`)
	for _, args := range [][]string{{"go", "build", "-buildmode=c-shared", "-o", "library.so", "."}, {gcc, "-o", "loads", "main.c", "-ldl"}} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	c := seam(t, "heap", "--rate", "1", "--json", "-", "--", "./loads")
	var r heap.Report
	if err := json.Unmarshal([]byte(c.out), &r); err != nil || c.code != exitOK {
		t.Fatalf("exit code %d, %v\n%s%s", c.code, err, c.out, c.errout)
	}
	blocks, mapped := int64(0), int64(0)
	for _, p := range r.Sites {
		if p.C == "hold_site" {
			blocks += p.LiveObjects
		}
		if p.Mapped {
			mapped += p.Live
		}
	}
	if blocks != 200 || mapped > 4<<20 || r.Live > 8<<20 {
		t.Errorf("%d blocks of hold_site, %d bytes mapped, %d in all\n%s", blocks, mapped, r.Live, c.errout)
	}
}
