// Package bad crosses for every element.
package bad

// #include <math.h>
// static double norm(double x, double y) { return x * x + y * y; }
// typedef struct { int at, n; } list;
// static int next(list *l) { return l->at++ < l->n; }
import "C"

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
