package fixes

/*
#include <stdlib.h>
static int first(const char *s) { return s[0]; }
*/
import "C"

// First forgets its string.
func First(s string) int {
	cs := C.CString(s)
	return int(C.first(cs))
}
