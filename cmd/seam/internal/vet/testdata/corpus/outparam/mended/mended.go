// Package mended says that they can stay on the stack.
package mended

// #cgo noescape parent
// #cgo nocallback parent
// static int parent(long long cell, int res, long long *out) { *out = cell >> res; return 0; }
import "C"

// Parent is the cell around a cell.
func Parent(cell int64, res int) int64 {
	var out C.longlong
	C.parent(C.longlong(cell), C.int(res), &out)
	return int64(out)
}
