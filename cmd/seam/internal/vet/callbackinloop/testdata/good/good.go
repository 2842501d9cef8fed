// Package good is called once.
package good

// typedef int (*row)(int);
// int goRows(int n);
// static int twice(int x) { return 2 * x; }
// static int rows(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return goRows(s); }
// static int each(int n, row f) { int s = 0; while (n--) s += f(n); return s; }
// static int own(int n) { return each(n, twice); }
// static row kept;
// static void keep(row f) { kept = f; for (int i = 0; i < 3; i++) each(i, twice); }
import "C"

// Register gives C a function for later.
func Register() { C.keep(C.row(C.goRows)) }

// Rows calls goRows once.
func Rows(n int) int { return int(C.rows(C.int(n))) }

// Own calls C in its loop.
func Own(n int) int { return int(C.own(C.int(n))) }
