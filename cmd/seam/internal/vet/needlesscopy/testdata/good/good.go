// Package good needs its copies, or makes one.
package good

// #include <stdlib.h>
// #include <string.h>
// static const char *name(int n) { return "name"; }
// static void *row(int n) { return "row"; }
// static void next(void) {}
// static int hash(const char *s, size_t n) { int h = 0; size_t i; for (i = 0; i < n; i++) h = 31 * h + s[i]; return h; }
// static int text(const char *s, size_t n) { return strlen(s) < n; }
// static void upper(char *s, size_t n) { while (n-- > 0) s[n] &= 0xdf; }
// static const char *kept;
// static void keep(const char *s, size_t n) { kept = s; }
// int unseen(const char *s, size_t n);
import "C"

import (
	"os"
	"unsafe"
)

func once() bool { return C.GoString(C.name(0)) == "x" }

func all(n int) (list []string) {
	for i := range n {
		s := C.GoString(C.name(C.int(i)))
		if s == "" {
			continue
		}
		list = append(list, s, "("+C.GoString(C.name(1))+")")
	}
	return list
}

func named(n int) (all map[string]int, last string) {
	all = map[string]int{}
	for i := range n {
		s := C.GoString(C.name(C.int(i)))
		if s == "x" {
			last = s
		}
		all[C.GoString(C.name(1))] = i
	}
	return all, last
}

func rows(n int) (all [][]byte, sum int) {
	for i := range n {
		b := C.GoBytes(C.row(C.int(i)), 8)
		b[0] = 'x'
		c := C.GoBytes(C.row(1), 3)
		all = append(all, c)
		d := C.GoBytes(C.row(2), 3)
		C.next() // which may change what was copied
		if d[0] == 'r' {
			sum++
		}
		os.Stdout.Write(C.GoBytes(C.row(3), 3))
		all = append(all, []byte(C.GoString(C.name(1))))
	}
	return all, sum
}

func onceForC(s string) int {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	return int(C.hash(cs, C.size_t(len(s))))
}

// C looks for the 0, changes, keeps, or can't be seen; the last is told no length.
func forC(list []string) (sum int) {
	for _, s := range list {
		a := C.CString(s)
		sum += int(C.text(a, C.size_t(len(s))))
		C.free(unsafe.Pointer(a))
		b := C.CString(s)
		C.upper(b, C.size_t(len(s)))
		C.free(unsafe.Pointer(b))
		c := C.CString(s)
		C.keep(c, C.size_t(len(s)))
		d := C.CString(s)
		sum += int(C.unseen(d, C.size_t(len(s))))
		C.free(unsafe.Pointer(d))
		e := C.CString(s)
		sum += int(C.hash(e, 3))
		C.free(unsafe.Pointer(e))
		f := C.CString(s + s)
		sum += int(C.hash(f, C.size_t(len(s+s))))
		C.free(unsafe.Pointer(f))
	}
	return sum
}
