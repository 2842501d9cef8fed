// Package bad casts what differs.
package bad

// #include <stdint.h>
// struct point { int x; int y; };
// struct mixed { char c; int64_t n; int32_t m; };
// static int sum(int *list, int n) { return list[0]; }
// static int take(struct point *p) { return p->x; }
// struct event { int kind; int size; char data[8]; };
// struct longer { struct point p; int z; };
// static void fill(struct longer *l) { l->z = 1; }
// static struct event *next(void) { return 0; }
// static int takemixed(struct mixed *p) { return p->m; }
// struct record { int kind; int flags; int64_t at; double x, y; };
// static int keep(struct record *r) { return r->kind; }
import "C"

import "unsafe"

type point struct{ X, Y int }

type event struct {
	Kind, Size int32
	Data       [8]byte
	X          int64
}

// C writes behind what Go has.
func short(p *[1]struct{ X, Y int32 }) {
	C.fill((*C.struct_longer)(unsafe.Pointer(&p[0]))) // want error "8 bytes and 12"
}

// C may have made a longer one.
func longer() int64 {
	return (*event)(unsafe.Pointer(C.next())).X // want note "16 bytes and 24, and begin alike"
}

type mixed struct {
	N int64
	C byte
	M int32
	_ [4]byte
	_ [4]byte
}

func numbers(list []int) C.int {
	return C.sum((*C.int)(unsafe.Pointer(&list[0])), C.int(len(list))) // want error "8 bytes and 4"
}

func sizes(p *point) C.int {
	return C.take((*C.struct_point)(unsafe.Pointer(p))) // want error "16 bytes and 8"
}

func order(m *mixed) C.int {
	return C.takemixed((*C.struct_mixed)(unsafe.Pointer(m))) // want error "member N has 8 bytes at 0"
}

func variable(p *point) C.int {
	q := unsafe.Pointer(p)
	return C.take((*C.struct_point)(q)) // want error "16 bytes and 8"
}

// The members don't meet: At reaches from flags into at.
type record struct {
	Kind int32
	_    int32
	X, Y float64
	Tail [2]int32
}

type moved struct {
	Kind  [2]int16
	Start [2]int32
	Rest  [5]int32
}

func records(r *record, m *moved) C.int {
	return C.keep((*C.struct_record)(unsafe.Pointer(r))) + // similar by chance: nothing is cut in two
		C.keep((*C.struct_record)(unsafe.Pointer(m))) // want error "member Start has 8 bytes at 4, member at has 8 at 8"
}
