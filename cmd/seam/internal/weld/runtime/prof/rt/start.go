package rt

import (
	"runtime"
	"unsafe"

	record "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record/rt"
)

// init begins the profile: package runtime/cgo is initialised before the program's own.
func init() {
	seamProfIsGo = func(pc uintptr) bool { return runtime.FuncForPC(pc) != nil }
	seamProfExpand = func(pcs []uintptr, frame func(function, file string, line int)) {
		frames := runtime.CallersFrames(pcs)
		for {
			f, more := frames.Next()
			if f.Function != "" {
				frame(f.Function, f.File, f.Line)
			}
			if !more {
				return
			}
		}
	}
	q := seamProfRequest{op: seamProfStart}
	q.low, q.high = seamProfGoText()
	seamProfAsk(&q)
	if q.off != 0 {
		return
	}
	text := []byte("go\x00" + record.SeamVersion + "\x00")
	seamProfAsk(&seamProfRequest{op: seamProfText, data: unsafe.Pointer(unsafe.SliceData(text)), length: uintptr(len(text))})
	runtime.SetCgoTraceback(0, seamProfTraceback, seamProfContext, seamProfSymbolizer)
	runtime.SetCPUProfileRate(int(q.number))
	go seamProfRead()
}

// seamProfGoText returns where the program's Go code begins and ends. It is in one piece.
func seamProfGoText() (low, high uintptr) {
	at, _, _, _ := runtime.Caller(0)
	// distance finds how far Go's code reaches in one direction.
	distance := func(pc func(n uintptr) uintptr) uintptr {
		in, out := uintptr(0), uintptr(1)<<30
		for in+1 < out {
			if middle := in + (out-in)/2; seamProfIsGo(pc(middle)) {
				in = middle
			} else {
				out = middle
			}
		}
		return in
	}
	below := distance(func(n uintptr) uintptr { return at - min(n, at) })
	above := distance(func(n uintptr) uintptr { return at + n })
	return at - below, at + above + 1
}
