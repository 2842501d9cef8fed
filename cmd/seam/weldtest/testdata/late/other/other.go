// Package other calls C and exports nothing to it: its arguments stay on the stack.
package other

/*
void (*other_hook)(long);

static long call_hook(const long *p)
{
	if (other_hook)
		other_hook(*p);
	return *p + 1;
}
*/
import "C"

// Call calls C, which calls the hook if there is one.
func Call(n int) int {
	x := C.long(n)
	return int(C.call_hook(&x))
}
