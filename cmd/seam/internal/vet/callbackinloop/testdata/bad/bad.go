// Package bad is called for every row.
package bad

// typedef int (*row)(int);
// int goRow(int i);
// static int rows(int n) { int s = 0; for (int i = 0; i < n; i++) s += goRow(i); return s; }
// static int inner(int n, row g) { int s = 0; while (n--) s += g(n); return s; }
// static int outer(int n, row f) { return inner(n, f); }
// static int each(int n, row f) { int s = 0; while (n--) s += f(n); return s; }
import "C"

// Rows calls goRow n times.
func Rows(n int) int { return int(C.rows(C.int(n))) } // want note "C.rows calls the Go function goRow in a loop (rows → goRow): give Go many at a time, or weld it by the line coro github.com/seamgo/seam/cmd/seam/internal/vet/callbackinloop/testdata/bad.rows in seam.plan"

// Each does by a pointer.
func Each(n int) int { return int(C.each(C.int(n), C.row(C.goRow))) } // want note "C.each calls the Go function goRow in a loop: give"

// Outer hands the pointer on.
func Outer(n int) int { return int(C.outer(C.int(n), C.row(C.goRow))) } // want note "C.outer calls the Go function goRow in a loop: give"
