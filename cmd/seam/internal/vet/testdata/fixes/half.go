package fixes

/*
#cgo noescape half
#cgo nocallback other

static int half(const char *s, int *len) { *len = 1; return s[0]; }
static int other(const char *s, int *len) { *len = 1; return s[0]; }
*/
import "C"

// Half has one line of the two, for each function another.
func Half() int {
	var n, m C.int
	C.half(nil, &n)
	C.other(nil, &m)
	return int(n + m)
}
