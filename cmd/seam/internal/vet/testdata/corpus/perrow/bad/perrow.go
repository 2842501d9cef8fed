// Package bad crosses into C for each row, by way of a function that covers the C.
package bad

// static int parent(long long cell, int res, long long *out) { *out = cell >> res; return 0; }
import "C"

// Parent is the cell around a cell.
func Parent(cell int64, res int) int64 {
	var out C.longlong
	C.parent(C.longlong(cell), C.int(res), &out)
	return int64(out)
}

// Parents are the cells around cells.
func Parents(cells []int64, res int) []int64 {
	list := make([]int64, len(cells))
	for i, c := range cells {
		list[i] = Parent(c, res) // want note "Parent does little but call C.parent, in every round of this loop"
	}
	return list
}
