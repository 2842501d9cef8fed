// Package good crosses once, or for what is worth it.
package good

// static double norms(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
// static double norm(double x) { return x * x; }
// int unknown(int i);
import "C"

import (
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/vet/cgoloop/testdata/cover"
)

// Norms passes everything.
func Norms(xs []float64) float64 {
	return float64(C.norms((*C.double)(unsafe.Pointer(&xs[0])), C.int(len(xs))))
}

// Each does much in C for each, or what isn't known.
func Each(lists [][]float64) (sum float64) {
	for i, xs := range lists {
		sum += Norms(xs)
		sum += float64(C.norms((*C.double)(unsafe.Pointer(&xs[0])), C.int(len(xs))))
		C.unknown(C.int(i))
	}
	return sum
}

// Found leaves the loop with the call.
func Found(xs []float64) float64 {
	for _, x := range xs {
		if x > 0 {
			return float64(C.norm(C.double(x)))
		}
	}
	for _, x := range xs {
		if x < 0 {
			_ = C.norm(C.double(x))
			break
		}
	}
	return 0
}

// Buffers calls what works on a buffer, what copies, and one thing again and again.
func Buffers(list [][]byte, p cover.Point) (n int) {
	for _, b := range list {
		n += cover.Hash(b) + len(cover.Name(p)) + int(cover.Cell(p, 9))
	}
	return n
}
