//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// With a view line C.GoString copies no string that can't change and stays as long as the program: those of
// the program's file and of libraries that it needs. All others are copied: what can be written, what was
// writable until relocation was over, and libraries that may be closed, under whatever name.
func TestViews(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.write("view/lib.c.txt", `
#ifdef NEEDS
extern const char *DEEP(void);
const char *deep_text(void) { return DEEP(); }
#endif
const char *NAME(void) { return TEXT; }
`)
	cc := func(args ...string) {
		t.Helper()
		m.run(append([]string{"gcc", "-shared", "-fPIC", "-x", "c", "view/lib.c.txt", "-x", "none"}, args...)...).ok()
	}
	cc("-DNAME=deep", `-DTEXT="deep in a library"`, "-Wl,-soname,libdeep.so.1", "-o", "view/libdeep.so")
	m.run("cp", "view/libdeep.so", "view/libdeep.so.1").ok()
	cc("-DNAME=needed", "-DNEEDS", "-DDEEP=deep", `-DTEXT="needed by the program"`, "-o", "view/libneeded.so", "-Lview", "-ldeep", "-Wl,-rpath,$ORIGIN")
	cc("-DNAME=opened", `-DTEXT="in an opened library"`, "-o", "view/opened.so")
	// One with the name of a library that the program needs.
	cc("-DNAME=opened", `-DTEXT="under another's name"`, "-Wl,-soname,libdeep.so.1", "-o", "view/false.so")
	m.write("view/main.go", `package main

/*
#cgo LDFLAGS: -L${SRCDIR} -lneeded -Wl,-rpath,${SRCDIR} -Wl,-rpath-link,${SRCDIR} -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

extern const char *needed(void), *deep_text(void);

static const char *const names[] = {"identifier", "a", "", "function_declaration"};
static const char *name(int i) { return names[i]; }

static char changes[] = "changes";
static char *changing(void) { return changes; }
static void change(void) { strcpy(changes, "CHANGES"); }

// In a program that is loaded at any address the pointer has to be relocated, and the text beside it
// lies in memory that is made unwritable after that.
static const struct { const char *const *p; char text[32]; } relocated = {names, "relocated"};
static const char *relro(void) { return relocated.text; }

static const char *opened(void *handle)
{
	return ((const char *(*)(void))dlsym(handle, "opened"))();
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

func show(what string, p *C.char) string {
	s := C.GoString(p)
	how := "copy"
	if p != nil && unsafe.StringData(s) == (*byte)(unsafe.Pointer(p)) {
		how = "view"
	}
	fmt.Printf("%s: %q, %s\n", what, s, how)
	return s
}

func main() {
	for i := range 4 {
		show("constant", C.name(C.int(i)))
	}
	s := show("variable", C.changing())
	C.change()
	fmt.Println(s)
	heap := C.CString("heap")
	s = show("heap", heap)
	*heap = 'H'
	fmt.Println(s)
	C.free(unsafe.Pointer(heap))
	show("nil", nil)
	show("relocated", C.relro())
	show("needed", C.needed())
	show("deep", C.deep_text())
	for _, name := range []string{"opened.so", "false.so"} {
		file := C.CString(os.Args[1] + "/" + name)
		handle := C.dlopen(file, C.RTLD_NOW|C.RTLD_LOCAL)
		C.free(unsafe.Pointer(file))
		if handle == nil {
			fmt.Println(C.GoString(C.dlerror()))
			os.Exit(1)
		}
		s = show(name, C.opened(handle))
		C.dlclose(handle)
		fmt.Println(s)
	}
	p := C.name(3)
	var sink string
	fmt.Println("allocations:", testing.AllocsPerRun(100, func() { sink = C.GoString(p) }))
	_ = sink

	// Strings of C's are kept, cut and put into maps while memory is collected and stacks move.
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			seen := map[string]int{}
			var parts []string
			for i := range 4000 {
				s := C.GoString(C.name(C.int(i % 4)))
				seen[s]++
				if len(s) > 3 {
					parts = append(parts, s[1:3], s+string(rune('a'+g)))
				}
				if i%1000 == g {
					runtime.GC()
					deep(200)
				}
			}
			if seen["identifier"] != 1000 || seen["function_declaration"] != 1000 || seen["a"] != 1000 || seen[""] != 1000 || !strings.HasPrefix(strings.Join(parts, ""), "deidentifier") {
				fmt.Println("wrong", seen)
			}
		}()
	}
	group.Wait()
}

func deep(n int) int {
	var block [128]byte
	if n == 0 {
		return int(block[0])
	}
	return deep(n-1) + int(block[n%128])
}
`)
	const copies = `constant: "identifier", copy
constant: "a", copy
constant: "", copy
constant: "function_declaration", copy
variable: "changes", copy
changes
heap: "heap", copy
heap
nil: "", copy
relocated: "relocated", copy
needed: "needed by the program", copy
deep: "deep in a library", copy
opened.so: "in an opened library", copy
in an opened library
false.so: "under another's name", copy
under another's name
allocations: 1
`
	const views = `constant: "identifier", view
constant: "a", view
constant: "", copy
constant: "function_declaration", view
variable: "changes", copy
changes
heap: "heap", copy
heap
nil: "", copy
relocated: "relocated", copy
needed: "needed by the program", view
deep: "deep in a library", view
opened.so: "in an opened library", copy
in an opened library
false.so: "under another's name", copy
under another's name
allocations: 0
`
	m.write("seam.plan", "# seam.plan 1\nview example.com/small/view.GoString\n")
	m.weld("build", "-buildmode=pie", "-o", "w", "./view").ok().says("welded 1 of 1 functions")
	for _, c := range []struct{ env, want string }{{"SEAM_VIEWS=", views}, {"SEAM_VIEWS=off", copies}} {
		if got := m.in(t).set(c.env, "GOGC=1").run("./w", m.path("view")).ok().out; got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.env, got, c.want)
		}
	}
	// A line that doesn't fit the package.
	m.write("seam.plan", "# seam.plan 1\nview example.com/small/alpha.GoString\n")
	m.weld("build", "-o", "w", "./alpha").ok().says("alpha.GoString stays as it is: the package doesn't use C.GoString")
}
