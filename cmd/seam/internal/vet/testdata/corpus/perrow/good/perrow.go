// Package good crosses into C once for all rows.
package good

// static int parent(long long cell, int res, long long *out) { *out = cell >> res; return 0; }
// static void parents(const long long *cells, int n, int res, long long *out) {
//	for (int i = 0; i < n; i++) parent(cells[i], res, &out[i]);
// }
import "C"

import "unsafe"

// Parents are the cells around cells.
func Parents(cells []int64, res int) []int64 {
	list := make([]int64, len(cells))
	if len(cells) > 0 {
		C.parents((*C.longlong)(unsafe.Pointer(&cells[0])), C.int(len(cells)), C.int(res), (*C.longlong)(unsafe.Pointer(&list[0])))
	}
	return list
}
