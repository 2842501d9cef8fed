package plan

import "strings"

// waysOut says what a user can do about a reason, by how its words begin.
var waysOut = []struct{ reason, way string }{
	{"never called", "trace something that calls it"},
	{"too few calls", "trace something that calls it more often (go test -benchtime), or choose another --min-calls"},
	{"p99.9", "if that is quick enough for you, choose another --p999; calls near the limit are judged best on a quiet machine"},
	{"ran for", "the garbage collector would have to wait for it; if it may, choose another --max"},
	{"blocked", "seam plan writes park where many threads at once wait in libc (for a socket, a pipe, the time, a lock; --park says how many); to take fewer threads for other waits write offload:8; a leaf that waits keeps a processor from Go; if you know that it never waits for another thread of the program, write leaf and keep into its line"},
	{"a call had not returned", "it waits, and the program ended meanwhile: it stays with cgo"},
	{"called back", "a leaf can't call Go, and these traces don't tell how long C runs between two callbacks: trace again, or write coro in place of cgo if that is short"},
	{"takes a C function pointer", "#cgo noescape and nocallback rule coro out; without them it would be coro"},
	{"may call Go through a pointer", "#cgo noescape and nocallback rule coro out; without them it would be coro"},
	{"proven: calls Go", "#cgo noescape rules coro out; without it, it would be coro"},
	{"proven: reaches", "where many threads at once wait there in libc, seam plan writes park (--park says how many); if the way there is never taken, write leaf and keep into the line"},
	{"its type has changed", "trace again"},
	{"not in the trace", "trace again, with the same build tags"},
	{"can't be welded", "please report what cgo makes of it"},
}

// wayOut is what can be done about a reason; "" if nothing is known.
func wayOut(reason string) (begin, way string) {
	for _, w := range waysOut {
		if strings.HasPrefix(reason, w.reason) {
			return w.reason, w.way
		}
	}
	return "", ""
}
