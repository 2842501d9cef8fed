//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// With a reuse line a string that is freed where it is made comes from a kept block. Whatever C and Go do to
// such a pointer, they do to memory of malloc's, so nothing else changes: C may keep it until it is freed,
// free it in Go's place, or resize it; Go may store it and free it elsewhere.
func TestReuse(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.write("reuse/main.go", `package main

/*
#include <stdlib.h>
#include <string.h>

// What C.free is in this package: it counts.
static long frees;
static void count_and_free(void *p) { __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED); free(p); }
#define free count_and_free
static long freed(void) { return __atomic_exchange_n(&frees, 0, __ATOMIC_RELAXED); }

static size_t length(const char *s) { return strlen(s); }

static const char *kept[16];
static void keep(int i, const char *s) { kept[i] = s; }
static size_t kept_length(int i) { return strlen(kept[i]); }
static int kept_char(int i, int at) { return kept[i][at]; }

static int takes(char *s) { if (s[0] != 't') return 0; (free)(s); return 1; }
static char *grow(char *s) { char *r = (realloc)(s, 4096); memset(r + strlen(r), 0, 2000); strcat(r, " grown"); return r; }
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

func length(s string) int {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	return int(C.length(cs))
}

func lengthNow(s string) int {
	cs := C.CString(s)
	n := C.length(cs)
	C.free(unsafe.Pointer(cs))
	return int(n)
}

// C has it until the function ends, over calls of Go that move the stack and collect.
func keeps(i int, s string) (n int) {
	cs := C.CString(s)
	defer func() { C.free(unsafe.Pointer(cs)) }()
	C.keep(C.int(i), cs)
	deep(300)
	if i%4 == 0 {
		runtime.GC()
	}
	n = int(C.kept_length(C.int(i)))
	if n > 0 && byte(C.kept_char(C.int(i), C.int(n-1))) != s[n-1] {
		n = -1
	}
	return n
}

// C frees it itself on one way, and Go on the other.
func early(s string) bool {
	cs := C.CString(s)
	if C.takes(cs) != 0 {
		return true
	}
	C.free(unsafe.Pointer(cs))
	return false
}

// It has grown: it is C's now.
func grown(s string) string {
	cs := C.CString(s)
	if s == "" {
		C.free(unsafe.Pointer(cs))
		return ""
	}
	r := C.grow(cs)
	defer C.free(unsafe.Pointer(r))
	return C.GoString(r)
}

// Another function frees it, but for one case.
func made(s string) *C.char {
	cs := C.CString(s)
	if s == "" {
		C.free(unsafe.Pointer(cs))
		return nil
	}
	return cs
}

func panics(s string) (n int) {
	defer func() { recover() }()
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	n = int(C.length(cs))
	panic(n)
}

func two(a, b string) int {
	x := C.CString(a)
	defer C.free(unsafe.Pointer(x))
	y := C.CString(b)
	defer C.free(unsafe.Pointer(y))
	if x == y {
		return -1
	}
	return int(C.length(x))*1000 + int(C.length(y))
}

// In each round the next string lies where the last one was, and none is freed.
func inLoop(n int) (total int) {
	for i := range n {
		cs := C.CString(fmt.Sprint("number ", i))
		total += int(C.length(cs))
		C.free(unsafe.Pointer(cs))
	}
	return total
}

func twice(s string) bool {
	cs := C.CString(s)
	C.free(unsafe.Pointer(cs))
	C.free(unsafe.Pointer(cs))
	a := C.CString(s)
	b := C.CString(s)
	ok := a != b
	C.free(unsafe.Pointer(a))
	C.free(unsafe.Pointer(b))
	return ok
}

func deep(n int) int {
	var block [128]byte
	if n == 0 {
		return int(block[0])
	}
	return deep(n-1) + int(block[n%128])
}

func freed(what string) {
	n := C.freed()
	if len(os.Args) > 1 {
		fmt.Println(what, n)
	}
}

func main() {
	for _, n := range []int{0, 1, 63, 64, 511, 512, 100000} {
		s := strings.Repeat("x", n)
		fmt.Println(n, length(s), lengthNow(s), panics(s))
	}
	fmt.Println(length("a\x00b"), keeps(0, "until the end"), early("t"), early("u"), grown("it has"), grown(""), two("one", "three"))
	p := made("from another function")
	fmt.Println(C.GoString(p), made(""))
	C.free(unsafe.Pointer(p))
	C.freed()
	fmt.Println(inLoop(1000))
	freed("freed in the loop:")
	for range 1000 {
		two("the", "same")
	}
	freed("freed of two:")
	length(strings.Repeat("x", 512))
	freed("freed of a long one:")
	if len(os.Args) > 1 {
		fmt.Println("freed twice:", twice("twice"))
	}

	var group sync.WaitGroup
	for g := range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range 300 {
				s := strings.Repeat(string(rune('a'+g)), (i*g)%200+1)
				if length(s) != len(s) || keeps(g, s) != len(s) || two(s, "x") != len(s)*1000+1 {
					fmt.Println("wrong", g, i)
					return
				}
			}
		}()
	}
	group.Wait()
}
`)
	const same = `0 0 0 0
1 1 1 1
63 63 63 63
64 64 64 64
511 511 511 511
512 512 512 512
100000 100000 100000 100000
1 13 true false it has grown  3005
from another function <nil>
9890
`
	m.plain("build", "-o", "p", "./reuse").ok()
	m.run("./p").ok().prints(same)
	m.write("seam.plan", "# seam.plan 1\nreuse example.com/small/reuse.CString\n")
	m.weld("build", "-o", "w", "./reuse").ok().says("welded 1 of 1 functions")
	m.in(t).set("GOGC=1").run("./w").ok().prints(same)
	m.run("./w", "count").ok().prints(same + "freed in the loop: 0\nfreed of two: 0\nfreed of a long one: 1\nfreed twice: true\n")
	m.in(t).set("SEAM_REUSE=off").run("./w").ok().prints(same)
	all := m.in(t).set("SEAM_REUSE=off").run("./w", "count").out // it dies of what it frees twice, or not
	if want := same + "freed in the loop: 1000\nfreed of two: 2000\nfreed of a long one: 1\n"; !strings.HasPrefix(all, want) {
		t.Errorf("without it:\n%s\nwant:\n%s", all, want)
	}
	// With the functions as leaves, and for the race detector.
	m.write("seam.plan", `# seam.plan 1
leaf  example.com/small/reuse._CMalloc
leaf  example.com/small/reuse.free
leaf  example.com/small/reuse.length
coro  example.com/small/reuse.keep
reuse example.com/small/reuse.CString
`)
	for _, args := range [][]string{{"build", "-o", "w", "./reuse"}, {"build", "-race", "-o", "w", "./reuse"}} {
		m.weld(args...).ok().says("welded 5 of 5 functions")
		m.run("./w").ok().prints(same)
	}
	// A line that doesn't fit the package.
	m.write("seam.plan", "# seam.plan 1\nreuse example.com/small/alpha.CString\n")
	m.weld("build", "-o", "w", "./alpha").ok().says("alpha.CString stays as it is: the package doesn't use C.CString and C.free")
}
