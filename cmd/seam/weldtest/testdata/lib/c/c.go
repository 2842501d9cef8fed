// Package c calls C.
package c

/*
static long sum(const long *p, int n)
{
	long s = 0;
	while (n-- > 0)
		s += *p++;
	return s;
}
*/
import "C"

import "testing"

// Sum adds three numbers in C.
func Sum(a, b, c int) int {
	x := [3]C.long{C.long(a), C.long(b), C.long(c)}
	return int(C.sum(&x[0], 3))
}

// Allocs is how many allocations a call makes.
func Allocs() int { return int(testing.AllocsPerRun(100, func() { Sum(1, 2, 3) })) }
