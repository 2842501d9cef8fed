// Package coro runs C functions as coroutines of goroutines. In a coroutine C calls Go
// functions at a fraction of a cgo callback's price (two thirds from below functions that the C
// compiler doesn't inline, whose returns the processor then predicts wrongly), yields values to
// a Go loop, and waits for descriptors and timers without keeping a thread.
//
// A C function called through this package runs on a stack of its own. Whenever it needs
// something from Go it switches to the goroutine, which serves the request as ordinary Go
// code (it may block, grow its stack, panic) and switches back.
//
//	// #include <seam/coro.h>
//	// typedef struct { seam_func on_item; int64_t n; } scan_args;
//	// int64_t scan(seam_coro *co, void *arg);
//	import "C"
//
//	onItem := coro.Register(func(item *C.item) { … })
//	defer onItem.Free()
//	scan := coro.Of[C.scan_args]("scan", unsafe.Pointer(C.scan))
//	n, err := scan.Call(ctx, &C.scan_args{on_item: C.seam_func(onItem.ID()), n: 10})
//
// The C side is in include/seam/coro.h: seam_upcall, seam_yield, seam_wait_fd,
// seam_sleep, seam_offload, seam_callback, seam_cancelled, seam_deadline. The C compiler must find it,
// and a #cgo line can't name another module's directory. So either `seam headers cseam` writes a
// copy beside the package,
//
//	// #cgo CFLAGS: -I${SRCDIR}/cseam -fstack-clash-protection
//
// or the build has the directory in its environment, and the package imports
// github.com/seamgo/seam/include so that it is compiled again when a header changes:
//
//	CGO_CFLAGS="-O2 -g -I$(go list -f '{{.Dir}}' github.com/seamgo/seam/include)" go build
//
// The C function must not be static: cgo can't take the address of a static function.
//
// # Ways to run
//
//   - [Locked] (the default, also of [Call] and [Of]) locks the goroutine to its
//     thread for the call. C sees what it sees in a cgo call. Upcalls are cheapest. A wait
//     blocks the thread. Use it for callbacks and generators.
//   - An [Executor] runs calls on a few threads, many on each. A coroutine always continues
//     on its own thread, and a wait leaves the thread to others. The first few calls run on
//     their callers' threads. Upcalls cost two wake-ups. Use it with package netio for
//     libraries that block in system calls and that nobody has checked for Floating.
//   - [Floating] parks the goroutine in a wait and continues wherever Go's scheduler puts
//     it. It has the fewest hand-overs. Use it for C known to be clean, see below.
//   - A [Session] runs calls on one thread, one at a time, as Locked does. Use it for C that keeps
//     something for its thread from one call to the next: a last error, a current context.
//
// While C runs between two switches its goroutine can't be preempted: as with a leaf
// function (package leaf), the garbage collector waits for it when it wants to stop the
// world. So C should not compute for long without switching (seam_offload is for that), and
// must not block: not in a system call (package netio turns those into waits) and not in a
// lock. C that does so all the same is named on standard error, once a place, when it is seen there
// twice in a row, and counted in [Stats].Kept: a thread looks five times a second. SEAM_WATCH=0 in
// the environment leaves it out. SIGQUIT lists the C functions that goroutines are in, before Go's
// own dump; so it does in a program that handles SIGQUIT itself, of which C can't know. A "?" before
// a function on a stack says that this one and its callers are a guess: unwind tables don't lead there.
// Go's other dumps (a panic's, debug.Stack, pprof's goroutines with debug=2) have only the Go functions.
//
// # Hazards and rules
//
//   - errno and thread-local variables. errno goes with the coroutine. Other thread-local
//     variables are the thread's, and all coroutines that run there share them: a library's
//     last error, its current context. That does no harm until C waits or calls Go between
//     writing one and reading it. Then, with an executor, what another call has left is
//     found there. seam_keep and seam_keep_block (coro.h) register what is to go with the
//     coroutine instead, see below; ExecutorOptions.OnePerThread shares nothing. With
//     Locked the thread is the call's, except that its Go functions may call C too.
//     With Floating, C may also continue on another thread: it must keep neither the value
//     nor the address of a thread-local variable across a switch. The compiler easily keeps
//     errno's address, in a function that reads errno before and after a wait, and finds out
//     by itself that a function returns such an address. The functions to check are those
//     that wait and those inlined into them: std::call_once of libstdc++ is one, where gcc
//     keeps addresses (on arm64; in shared libraries it may anywhere).
//   - Locks. With package netio and glibc, a coroutine that waits for a lock of pthread's, a
//     condition, a semaphore, a barrier or what is done once lets others run meanwhile, and a
//     lock belongs to the coroutine that has taken it: it may be held across waits and upcalls.
//     Without that package a lock that any coroutine holds across a switch must be taken by
//     seam_lock (include/seam/lock.h): the thread that waits for it otherwise keeps the
//     holder from running, whichever way they run, and the program hangs; and a mutex that
//     checks its owner takes all coroutines of a thread for one. A FILE that C has locked, and
//     a robust or priority-inheriting mutex, belongs to the thread in any case: not with
//     Floating. C in an upcall is another coroutine: it must not ask for a lock that the
//     one below has, not even a recursive one, unless both are Locked or in one Session.
//   - C++ exceptions may be in flight across a switch (a wait in a catch block or in a
//     destructor): what the C++ run-time keeps for a thread goes with the coroutine.
//     No exception and no longjmp may leave the coroutine's function.
//   - Stack: 64 KB unless [Options] say otherwise, taken page by page as it is used. Below it
//     is inaccessible memory, at least 1 MB and as much as the stack. C that needs more
//     stack hits it, and the program ends with a message that names the function. A single
//     frame larger than both that is not touched from its upper end on may jump over it. So
//     compile C that runs in coroutines with -fstack-clash-protection, as distributions
//     compile their libraries: it touches every page. Without, frames of up to 1 MB are
//     always found. A larger one is found when C switches out from it, or if it lands between
//     stacks (with stacks of 64 KB in 31 of 32 cases); otherwise it changes the stack of
//     another coroutine. [ReadStats] shows how much stack was needed. Free stacks keep the
//     memory of 32 MB of stacks of each size, or of as many as are in use; what is not used
//     again is given back at a later garbage collection.
//   - Arguments. What C is given must not move: C memory, or Go memory that escapes to the
//     heap, as the argument itself does. C must keep no address of Go memory after the call
//     and must not write Go pointers into Go memory.
//   - Whenever C has switched out, the goroutine's stack may grow and move and the garbage
//     collector may run. Nothing of C's is on that stack.
//   - Callbacks by cgo. A function exported by cgo (//export) must not be called on a
//     coroutine's stack: the runtime ends the program ("fatal error: exitsyscall…" or
//     similar, with coro.mustNotCallGo in the goroutine's stack). Use seam_upcall, or
//     seam_offload around it.
//   - iter.Pull takes turns with the goroutine that asks for values, and the runtime ends
//     the program if a turn ends locked to a thread where it did not begin so ("OS thread
//     locking must match"). A [Generator] sees to that: pulled, a Locked one has C on a
//     thread of its own, which costs some ten microseconds a value, and Floating costs
//     nothing extra. A Go function that Locked C calls must not take such a turn (the next of an
//     iterator made outside of the call, the yield of one that is pulled). Nor must one
//     of an executor's, unless ExecutorOptions.Inline is -1.
//   - Threads that C makes are no coroutines. There, and in functions given to
//     seam_offload, seam_upcall and its like return SEAM_EMISUSE; seam_callback calls the
//     same Go functions. A coroutine waits for such a thread by pthread_join in
//     seam_offload, or by seam_wait_fd for a pipe. If it blocked, the garbage collector
//     would wait for the coroutine, the coroutine for the thread, and the thread, when it
//     calls Go, for the collector.
//   - Signals, profiling and preemption work as in a leaf function. A CPU profile shows the
//     time in C under runtime._ExternalCode. For messages about faults in coroutines, handlers
//     of the signals that end a program run before Go's and pass everything on. They know
//     the names of C functions only in programs that were not stripped.
//   - The thread belongs to Go. C that ends it (pthread_exit, or a cancellation of it) ends
//     the program, with a message where glibc unwinds the stack for that.
//   - The signal mask is the thread's, as thread-local variables are. What C blocks stays
//     blocked for the goroutine or other coroutine that the thread runs next: during an
//     upcall or a wait, and after the call. So C should restore the mask before it switches
//     out or returns.
//   - fork. The child has no Go: as in any Go program it may only exec or exit. seam_self
//     is NULL there, and netio's functions are libc's. A child made by vfork runs in our
//     memory while its parent, which keeps its place in Go's scheduler, waits for it:
//     it must do nothing that waits for us.
//   - Floating-point settings (rounding, flushing) belong to the coroutine, and Go keeps
//     its own. In the fallback they stay with the thread, as in a cgo call.
//   - AddressSanitizer works for C compiled with -fsanitize=address: its fake stacks go
//     along. With go build -asan the fallback is used. Valgrind knows the stacks if
//     CGO_CFLAGS has -DSEAM_VALGRIND.
//
// # What C keeps for each thread
//
// A keeper moves a library's state off the thread when a coroutine switches out, and back
// when it continues. This one is for the error queue of OpenSSL 3.2 and later:
//
//	static void save(void *room) {
//		ERR_STATE *es = ERR_peek_error() ? OSSL_ERR_STATE_new() : NULL;
//		if (es) OSSL_ERR_STATE_save(es); // and the thread's queue is empty
//		*(ERR_STATE **)room = es;
//	}
//	static void restore(void *room) {
//		ERR_STATE *es = *(ERR_STATE **)room;
//		ERR_clear_error();
//		if (es) OSSL_ERR_STATE_restore(es);
//		OSSL_ERR_STATE_free(es);
//	}
//	static void drop(void *room) { OSSL_ERR_STATE_free(*(ERR_STATE **)room); }
//	…
//	seam_keeper openssl = {sizeof(ERR_STATE *), save, restore, drop};
//	int err = seam_keep(&openssl); // once, before the first coroutine
//
// seam_keep_block does so for a variable that can simply be copied. A program that registers
// nothing pays nothing, and Locked calls no keeper: its thread is not shared.
//
// # When something goes wrong
//
// A panic in a Go function that C called unwinds the goroutine up to the call. Before the
// panic goes on, C is told: its seam_upcall returns SEAM_EPANIC, and so does every further
// request, until C has freed what it holds and returned. runtime.Goexit and the end of the
// context (SEAM_ECANCELED) work the same way. A coroutine that still makes requests after a
// million refusals (some thousand in the fallback) is abandoned: it is reported on standard
// error and in [Stats].Abandoned, and its stack is not used again. So is a [Coroutine]
// that was never closed.
//
// So C must check what seam_upcall returns. If a library that can't be told to stop (qsort)
// calls the C function back, the callback notes the first failure and makes no more
// requests.
//
// # Bubbles
//
// Coroutines work in the bubbles of testing/synctest. seam_sleep and the Go functions that C
// calls go by the bubble's clock. A wait for a descriptor goes by the system's, timeout and
// all, and the bubble's clock stands still meanwhile, as for package net; so it does while C
// runs. C sees a deadline of the bubble's clock as the same time from now on the system's.
//
// An [Executor] made in a bubble belongs to it, like a channel. On one made outside,
// seam_sleep goes by the system's clock.
//
// # Where it works
//
// [Status] and `seam doctor` say how this program runs coroutines and why. The switch is
// assembly for linux/amd64 and linux/arm64 with Go 1.25 to 1.27, guarded as in package
// leaf. Elsewhere, with -asan or -msan, and with SEAM_CORO=cgo in the environment, C runs on
// a thread of its own and reaches Go by cgo callbacks. Interface and results are the same,
// but a switch takes a microsecond or more, each call takes a thread (also one made inside
// an upcall, which matters for locks that know their owner), and package netio has no
// effect. Without cgo, code that uses the package does not compile, and the compiler says
// why.
package coro
