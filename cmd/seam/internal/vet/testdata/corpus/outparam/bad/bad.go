// Package bad lets results of C go to the heap.
package bad

// static int parent(long long cell, int res, long long *out) { *out = cell >> res; return 0; }
import "C"

// Parent is the cell around a cell.
func Parent(cell int64, res int) int64 {
	var out C.longlong
	C.parent(C.longlong(cell), C.int(res), &out) // want note "out is put on the heap for this call, though C.parent keeps no pointer"
	return int64(out)
}
