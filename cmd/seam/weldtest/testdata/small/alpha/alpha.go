// Package alpha calls C with pointers into Go's memory.
package alpha

/*
static int alpha_add(int a, int b) { return a + b; }
static int alpha_other(int a) { return a * 3; }
static long alpha_sum(const long *p, int n)
{
	long sum = 0;
	while (n-- > 0)
		sum += *p++;
	return sum;
}
*/
import "C"

// Add adds in C.
func Add(a, b int) int { return int(C.alpha_add(C.int(a), C.int(b))) }

// Other is a function that plans call by cgo.
func Other(a int) int { return int(C.alpha_other(C.int(a))) }

// Sum adds four numbers, of which C gets the address.
func Sum(a, b, c, d int) int {
	x := [4]C.long{C.long(a), C.long(b), C.long(c), C.long(d)}
	return int(C.alpha_sum(&x[0], 4))
}
