// Package other calls C through a second package.
package other

/*
static int twice(int n) { return 2 * n; }
static int deep(int n, int (*f)(int)) { return f(n); }
extern int goAgain(int);
static int again(int n) { return deep(n, goAgain); }
*/
import "C"

import "example.com/traced/lib"

//export goAgain
func goAgain(n C.int) C.int {
	if n > 0 {
		return C.again(n - 1)
	}
	return C.int(lib.Quick(1, 1))
}

func Twice(n int) int { return int(C.twice(C.int(n))) }
func Again(n int) int { return int(C.again(C.int(n))) }
