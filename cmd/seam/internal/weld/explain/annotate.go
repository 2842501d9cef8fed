package explain

import "strings"

// A remark explains the first line of a text that contains its match.
type remark struct{ match, says string }

// annotate splits code into lines and numbers those that have a remark which,
// according to used, has not been made yet.
func annotate(caption, code string, remarks []remark, used map[string]bool) *Code {
	c := &Code{Caption: caption}
	for line := range strings.Lines(strings.TrimRight(code, "\n") + "\n") {
		l := Line{Text: strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")}
		for _, r := range remarks {
			if strings.Contains(line, r.match) && !used[r.match] {
				used[r.match] = true
				c.Notes = append(c.Notes, r.says)
				l.Mark = len(c.Notes)
				break
			}
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}

var stubRemarks = []remark{
	{"//go:cgo_unsafe_args", "The parameters and the result lie in memory side by side, in this order. C gets the address of the first and treats it as the address of a struct."},
	{"_Cgo_no_callback(true)", "From #cgo nocallback: a callback into Go during the call ends the program."},
	{"_cgo_runtime_cgocall(", "The call: runtime.cgocall gets the C wrapper and the address of the arguments."},
	{"syscall.Errno(errno)", "The wrapper has returned errno; it becomes the second result."},
	{"_Cgo_always_false", "Never runs, but the compiler doesn't know that."},
	{"_Cgo_use(", "_Cgo_use has no body for the compiler to look into, so it must assume that each parameter is kept: what a parameter points to has to be on the heap, which doesn't move."},
	{"_Cgo_keepalive(", "From #cgo noescape: the parameters are alive until here, and don't escape."},
	{"r1 == nil", "C.malloc never returns nil: the program ends if there is no memory."},
}

var wrapperRemarks = []remark{
	{"struct {", "The arguments' memory as C sees it. It is packed: padding is written out, so that C's offsets are Go's."},
	{"_cgo_stktop = _cgo_topofstack()", "The arguments lie on the goroutine's stack, and a callback into Go may move that stack elsewhere. So the wrapper remembers where the stack's upper end is …"},
	{"_cgo_tsan_acquire", "Nothing, except with -race and -msan."},
	{"errno = 0", "Go has asked for errno."},
	{"(_cgo_topofstack() - _cgo_stktop)", "… and adjusts its own pointer by as far as the stack has moved meanwhile. A function without a result needs neither."},
	{"_cgo_a->r = _cgo_r", "The result goes into the arguments' memory, where the Go stub reads it."},
	{"return _cgo_errno", "errno is what the wrapper itself returns."},
}

var weldedStubRemarks = []remark{
	{"//go:cgo_import_static", "The function's slot lies in C's memory: a struct that says how the function is called now."},
	{"//go:norace", "The slot may change while the stub reads it, which is meant: nothing for the race detector."},
	{"Entry; seam != nil", "One load and a test. The entry is nil before the first call, and after the guard has found the function too slow."},
	{"_seam_Call(seam,", "The leaf call, see below."},
	{"_seam_slow(", "The slow path: before the first call it finds out whether leaf calls work here, and it calls a demoted function the way cgo does."},
	{"_Cgo_always_false", "On this branch only, and it never runs: _Cgo_keepalive keeps the parameters alive while C runs, and does not make them escape. _Cgo_use is gone."},
}

var weldedWrapperRemarks = []remark{
	{"static ", "cgo's wrapper, under another name and static, so that the C compiler can inline it into its only callers. The calls of _cgo_topofstack are gone: nothing can move the stack."},
	{"SEAM_WELD", "Defines what Go calls instead: count down to the next call that is timed, and call the wrapper. The last two numbers are the budget in nanoseconds, and how many of a million calls may exceed it."},
}
