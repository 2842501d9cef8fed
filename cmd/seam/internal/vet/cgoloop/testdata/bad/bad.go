// Package bad crosses for every element.
package bad

// #include <math.h>
// static double norm(double x, double y) { return x * x + y * y; }
// typedef struct { int at, n; } list;
// static int next(list *l) { return l->at++ < l->n; }
// typedef struct row row;
// int row_type(row *r, int i);
// int row_int(row *r, int i);
// const char *row_text(row *r, int i);
import "C"

import "github.com/seamgo/seam/cmd/seam/internal/vet/cgoloop/testdata/cover"

// Norms calls C for each point.
func Norms(xs, ys []float64) (sum float64) {
	for i := range xs {
		sum += float64(C.norm(C.double(xs[i]), C.double(ys[i]))) // want note "C.norm is called in every round of this loop: pass it all"
	}
	return sum
}

// Count calls C in the condition.
func Count(l *C.list) (n int) {
	for C.next(l) != 0 { // want note "C.next is called in every round"
		n++
	}
	return n
}

// Row asks C for each column, three times.
func Row(r *C.row, list []any) {
	for i := range list {
		n := C.int(i)
		switch C.row_type(r, n) { // want note "this loop crosses into C at 3 places in every round: a C function"
		case 1:
			list[i] = int(C.row_int(r, n))
		case 2:
			list[i] = C.GoString(C.row_text(r, n))
		}
	}
}

// Cover calls C by way of a function of another package.
func Cover(list []cover.Point) (cells []uint64) {
	for _, p := range list {
		cells = append(cells, cover.Cell(p, 9)) // want note "Cell does little but call C.cell, in every round of this loop"
	}
	for i := range cells {
		cells[i] += list[i].Cell(8) // want note "Point.Cell does little but call C.cell"
	}
	return cells
}
