// Package cover has functions that do little but call C.
package cover

// #include <stdlib.h>
// typedef struct { double lat, lng; } point;
// static int cell(const point *p, int level, unsigned long long *out) { int i; *out = 0; for (i = 0; i < level; i++) *out += (unsigned long long)(p->lat * i + p->lng); return 0; }
// static int hash(const char *s, int n) { int h = 0; while (n-- > 0) h = 31*h + *s++; return h; }
import "C"

import "unsafe"

// Point is a place.
type Point struct{ Lat, Lng float64 }

func (p Point) c() *C.point { return &C.point{lat: C.double(p.Lat), lng: C.double(p.Lng)} }

// Cell is the number of the cell that a place is in.
func (p Point) Cell(level int) uint64 {
	var out C.ulonglong
	if C.cell(p.c(), C.int(level), &out) != 0 {
		return 0
	}
	return uint64(out)
}

// Cell is [Point.Cell].
func Cell(p Point, level int) uint64 { return p.Cell(level) }

// Cells are the cells of places.
func Cells(list []Point) (cells []uint64) {
	for _, p := range list {
		cells = append(cells, p.Cell(9)) // want note "Point.Cell does little but call C.cell"
	}
	return cells
}

// Hash works for as long as its argument is.
func Hash(b []byte) int {
	return int(C.hash((*C.char)(unsafe.Pointer(&b[0])), C.int(len(b))))
}

// Name copies.
func Name(p Point) string {
	s := C.CString("x")
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s)
}
