// Package leaf calls a C function from Go for about the price of two Go calls.
//
// A call through cgo tells Go's scheduler that the thread is leaving, so that others may
// have its processor, switches stacks, calls, switches back and asks for the processor
// again. For a C function that returns within nanoseconds, telling the scheduler costs
// several times the work. Package leaf only switches stacks.
//
//	// #include <stdint.h>
//	// typedef struct { int64_t a, b, sum; } add_args;
//	// void add(add_args *x) { x->sum = x->a + x->b; }
//	import "C"
//
//	var add = leaf.Of[C.add_args]("add", unsafe.Pointer(C.add))
//
//	func Add(a, b int64) int64 {
//		args := C.add_args{a: C.int64_t(a), b: C.int64_t(b)}
//		add.Call(&args) // args stays on the goroutine's stack
//		return int64(args.sum)
//	}
//
// The C function must not be static: cgo can't take the address of a static function. The
// directory examples/leaf has this as a program.
//
// # The contract of a leaf function
//
// A C function may be called through this package if all of this is true:
//
//   - It is bounded: it returns within microseconds. While it runs, its goroutine can't be
//     preempted, and when the garbage collector wants to stop the world, it and every other
//     goroutine wait.
//   - It does not block: no lock that may be held for long, no I/O, no sleep. It keeps the
//     processor (P) that other goroutines could use.
//   - It does not call back into Go, and does not wait for another thread that does. A
//     callback on its own thread ends the program at once with a fatal error, see below.
//     Waiting for one on another thread can hang.
//   - It ends by returning: no longjmp and no C++ exception leaves it, and it does not end
//     the thread.
//   - It leaves the thread as it was: signal mask, signal handlers, the floating-point
//     control word, thread-local state that others rely on.
//   - It needs no more stack than C called by cgo may use: it runs on the same stack, the
//     thread's own (usually 8 MB with glibc and 128 KB with musl).
//   - It does not rely on a signal handler that the program around Go installed before Go
//     started (a C program that loads a Go library): Go reports a fault in a leaf.
//
// # Memory
//
// Nothing that Go allocated moves during the call: Go's heap never does, and the goroutine's
// stack can't while it runs C. So a leaf function may read and write any Go memory that its
// arguments lead to, pointers to pointers included, without pinning. The arguments don't
// escape: a struct on the caller's stack stays there.
//
// A leaf function must keep no address of Go memory after it has returned, neither in C
// memory nor in a Go variable. It must not write Go pointers into Go memory at all: that
// would bypass the garbage collector's write barrier. Its results are numbers and bytes. The
// caller keeps alive (runtime.KeepAlive) what the arguments refer to by addresses that Go
// does not see as pointers.
//
// # When something goes wrong
//
// A crash in C (SIGSEGV, SIGFPE, abort) ends the program with the same report as under cgo.
// The goroutine's stack in it begins with leaf.mustNotCallGo(fn, arg, …), followed by the Go
// caller. A callback into Go ends the program with the runtime's "fatal error: exitsyscall:
// syscall frame is no longer valid" or a similar message and the same frame below it;
// nothing has been overwritten.
//
// With SEAM_GUARD=1 in the environment every call is timed. A call that takes longer than
// SEAM_GUARD_BUDGET (default 20us) is reported on standard error with the name of the C
// function. One that does not return within SEAM_GUARD_LIMIT (default 10s) is reported and
// ends the program with SIGABRT, and so with the stack of the goroutine that is stuck.
// [ReadStats] returns the figures.
//
// A leaf that keeps its processor for 200 ms or more, because it waits or computes, is named
// on standard error, once for each place, and counted in [Stats].Kept: a thread looks five times
// a second, and calls cost nothing more. SEAM_WATCH=0 in the environment leaves it out.
// A "?" before a function on its stack says that this one and its callers are a guess.
//
// # Where it works
//
// [Status] says how this program makes calls and why.
//
// The assembly runs on linux/amd64 and linux/arm64 with Go 1.25, 1.26 and 1.27. Elsewhere
// (other systems, other Go versions, -asan, -msan), and if the self-check at start finds the
// runtime's data laid out differently, Call goes through cgo: slower, with the same contract
// and results. SEAM_LEAF=cgo in the environment asks for that too. Guard mode needs a Unix.
//
// Without cgo (CGO_ENABLED=0) there is no C to call: code that uses Call or Of does not
// compile, and the compiler's message says why. Status still works.
//
// A CPU profile shows the time inside a leaf function under runtime._ExternalCode, without
// the Go caller.
package leaf
