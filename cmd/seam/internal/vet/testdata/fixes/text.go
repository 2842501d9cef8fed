package fixes

/*
#include <stdlib.h>
#include <string.h>
static int first(const char *s) { return s[0]; }
static int sum(const char *a, const char *b) { return a[0] + b[0]; }
static const char *rest(const char *s) { return s + 1; }
static void put(const char *s) { (void)s; }
*/
import "C"

// First forgets its string.
func First(s string) int {
	cs := C.CString(s)
	return int(C.first(cs))
}

type named struct{ name string }

// Sum gives two strings to C in the midst of a statement.
func (n named) Sum(other string) int {
	if other == "" {
		C.put(C.CString("none"))
	}
	return int(C.sum(C.CString(n.name), C.CString(other)))
}

// Rest returns what points into its string: no change.
func Rest(s string) *C.char { return C.rest(C.CString(s)) }

// Short is a function of one line.
func Short(s string) int { return int(C.first(C.CString(s))) }

// Failed asks for errno, too.
func Failed(s string) error {
	_, err := C.first(C.CString(s))
	return err
}

// Both has a name already, and a right side that may not be evaluated: no change.
func Both(cOther, other string) bool {
	_ = cOther
	return other != "" && C.first(C.CString(other)) == 0
}

// Length takes what another call made, which stays the first.
func Length(get func() string, s string) int {
	return len(get()) + int(C.first(C.CString(s)))
}

// Kept has a value of that name.
func Kept(cS int, s string) int {
	n := int(C.first(C.CString(s)))
	return n + cS
}
