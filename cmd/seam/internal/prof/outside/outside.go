// Package outside looks at a process that runs, a Go program as it was built, and bounds what a
// cheaper crossing between Go and C could bring it: the processor time in the functions of the
// runtime that make the crossing. The kernel takes the samples (perf events of the processor's
// time, with the callers by frame pointers, which Go keeps), so the program isn't stopped, and
// nothing is written into it.
//
// A sample on the way to C or back counts only if the frames show that way: the same functions of
// the scheduler serve system calls too. Where they have left the goroutine's stack there is no
// telling; such samples are the difference of the two ends of the range.
package outside

import (
	"math"
	"strings"
	"time"
)

// A Report is what was seen.
type Report struct {
	PID     int
	Program string
	Go      string // its version
	Long    time.Duration

	CPU     time.Duration // processor time, the kernel's for it included
	Samples Counts
	User    bool // the kernel's part wasn't sampled
	Missed  int  // samples for which there was no room
	Unseen  int  // threads that could not be sampled
	Welded  bool // seam weld has built it
	Ended   bool // the process has ended meanwhile

	// What the runtime counts, where the program says where that is; Counted is false where it
	// doesn't.
	Counted bool
	Calls   uint64    // of C
	InC     []float64 // threads in C, each time that was looked
}

// Counts are samples by what they were in.
type Counts struct {
	All     int
	Out     int // from Go to C and back
	Back    int // from C to Go and back: callbacks
	Checks  int // cgo's checks of pointers in arguments
	Perhaps int // on the way, or in a system call of Go's own
	C       int
}

// A class is what a sample is in.
type class int

const (
	other class = iota
	out
	back
	check
	perhaps
	inC
)

func (n *Counts) add(c class) {
	n.All++
	switch c {
	case out:
		n.Out++
	case back:
		n.Back++
	case check:
		n.Checks++
	case perhaps:
		n.Perhaps++
	case inC:
		n.C++
	}
}

// ways are functions which show what those that they have called are for.
var ways = map[string]class{
	"runtime.cgocall": out, "runtime.asmcgocall": out, "runtime.asmcgocall_landingpad": out, "runtime.asmcgocall_no_g": out,
	"_cgo_topofstack":     out,
	"runtime.cgocallback": back, "runtime.cgocallbackg": back, "runtime.cgocallbackg1": back,
	"crosscall2": back, "runtime.needm": back, "runtime.needAndBindM": back, "runtime.dropm": back,
	"runtime.cgoCheckPointer": check, "runtime.cgoCheckArg": check, "runtime.cgoCheckUnknownPointer": check, "runtime.cgoCheckResult": check,
}

// slow are functions on the scheduler's slow way out of C or of a system call, on a stack of its own.
var slow = map[string]bool{
	"runtime.exitsyscall0": true, "runtime.exitsyscallNoP": true, "runtime.exitsyscallfast_pidle": true, "runtime.exitsyscallTryGetP": true,
	"runtime.entersyscall_sysmon": true, "runtime.entersyscall_gcwait": true, "runtime.entersyscallWakeSysmon": true,
	"runtime.handoffp": true, "runtime.retake": true,
}

// classify tells what a sample is in by the functions on its stack, the innermost first: names of
// Go's, and "" for what is not Go's.
func classify(names []string) class {
	if len(names) > 0 && names[0] == "" {
		return inC
	}
	maybe := false
	for i, name := range names {
		name = strings.TrimSuffix(name, ".abi0")
		if c, ok := ways[name]; ok {
			return c
		}
		switch {
		case i == 0 && isStub(name):
			return out
		case i == 0 && strings.HasPrefix(name, "_cgoexp_"):
			return back
		case slow[name] || strings.HasPrefix(name, "runtime.exitsyscallfast"):
			maybe = true
		case !strings.HasPrefix(name, "runtime.") && !strings.HasPrefix(name, "internal/runtime/"):
			return other // what the user's code, or a system call, asked for
		}
	}
	if maybe {
		return perhaps
	}
	return other
}

// isStub recognises what cgo generates for each C function: "main._Cfunc_add".
func isStub(name string) bool {
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, f, ok := strings.Cut(name, ".")
	return ok && (strings.HasPrefix(f, "_Cfunc_") || strings.HasPrefix(f, "_C2func_"))
}

// whole is how many samples all of the processor time is.
func (r *Report) whole() float64 {
	if r.User {
		return max(float64(r.CPU)/float64(period), float64(r.Samples.All), 1)
	}
	return max(float64(r.Samples.All), 1)
}

// share bounds the share that so many samples are, and are at most, with what chance makes of so few:
// 98 of 100 such ranges have the true value (Wilson's interval).
func (r *Report) share(least, most int) (lo, hi float64) {
	n := r.whole()
	lo, _ = wilson(float64(least), n)
	_, hi = wilson(float64(most), n)
	return lo, hi
}

func wilson(k, n float64) (lo, hi float64) {
	const z = 2.326
	p := k / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	wide := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(middle-wide, 0), min(middle+wide, 1)
}

// Crossings bounds the share of the processor time that crossings take, cgo's checks with them.
func (r *Report) Crossings() (lo, hi float64) {
	s := r.Samples
	sure := s.Out + s.Back + s.Checks
	return r.share(sure, sure+s.Perhaps)
}

// Worth reports whether crossings may take a hundredth of the time.
func (r *Report) Worth() bool {
	_, hi := r.Crossings()
	return hi >= worth
}

const (
	worth = 0.01
	// period is the processor time of a thread between two samples. It is no round number, so as not
	// to keep step with what a program does each millisecond.
	period = 1009 * time.Microsecond
)
