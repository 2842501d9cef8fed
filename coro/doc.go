// Package coro runs C functions as coroutines of goroutines: C calls Go functions at
// a tenth of a cgo callback's price, hands out values to a Go loop, and waits for
// descriptors and time without keeping a thread.
//
// A C function that is called through this package runs on a stack of its own. For
// whatever it wants of Go it switches to the goroutine, which does it as ordinary Go
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
// seam_sleep, seam_offload, seam_cancelled, seam_deadline. A package that includes it
// imports github.com/seamgo/seam/include and has the directory of that package after
// -I in its CFLAGS; `seam headers DIR` writes a copy. The C function must not be
// static: cgo can't take the address of one that is.
//
// # Three ways to run
//
//   - [Locked] (the default, also of [Call] and [Of]) locks the goroutine to its
//     thread for the call. C sees what it sees in a cgo call. Upcalls are at their
//     cheapest. A wait blocks the thread. For callbacks and generators.
//   - An [Executor] runs calls on a few threads, many on each; a coroutine always
//     goes on on its own thread, so thread-local variables and errno are right. A wait
//     leaves the thread to others; the first few calls run on their callers' threads.
//     For libraries that block in system calls, with package netio, and whose
//     sources nobody has read with floating in mind. Upcalls cost two wake-ups.
//   - [Floating] parks the goroutine in a wait and goes on wherever Go's scheduler
//     puts it. It has the fewest hand-overs. For C known to be clean, see below.
//
// While C runs between two switches its goroutine can't be preempted: the garbage
// collector, when it wants to stop the world, waits for it, as for a leaf function
// (package leaf). So C should not compute for long without switching (seam_offload is
// for that), and must not block: not in a system call (package netio turns those into
// waits) and not in a lock.
//
// # Hazards, and the rule for each
//
//   - errno and thread-local variables. Right with Locked and an executor. With
//     Floating C may go on on another thread: it may keep neither a thread-local
//     variable's value nor its address across a switch. errno's address is easily
//     kept by the compiler, in a function that looks at errno before and behind a
//     wait; what must be clean is a function that waits, or one that is inlined
//     into it.
//   - Locks. A lock that is held across a switch, by any coroutine, must be taken by
//     seam_lock (include/seam/lock.h), or the thread that waits for it keeps the
//     holder from going on, whichever way they run: the program hangs. A library
//     that holds locks of its own across its reads and writes can only be called by
//     one coroutine at a time for each lock. A mutex that checks its owner takes all
//     coroutines of a thread for one.
//   - C++ exceptions may be in flight across a switch (a wait in a catch block or in a
//     destructor): what the C++ run-time keeps for a thread goes with the coroutine.
//     None may leave the coroutine's function. The same goes for longjmp.
//   - Stack. 64 KB unless [Options] say otherwise; memory is taken page by page as
//     it is used. C that needs more hits inaccessible memory: the program ends with
//     a message that names the function. [ReadStats] tells how much was needed.
//   - Arguments. What C is given must stay where it is: C memory, or Go memory that
//     escapes to the heap, as the argument itself does. C may keep no address of Go
//     memory when the call has ended, and may not write Go pointers into Go memory.
//   - The goroutine's stack may grow and move, and the garbage collector run, whenever
//     C has switched out. Nothing of C's is on it.
//   - Callbacks by cgo. A function that cgo exports (//export) must not be called on a
//     coroutine's stack; the runtime ends the program ("fatal error: exitsyscall…" or
//     a like message, with coro.mustNotCallGo in the goroutine's stack). Use
//     seam_upcall, or seam_offload around it.
//   - Signals, profiling and preemption work as in a leaf function; a CPU profile
//     accounts the time in C to runtime._ExternalCode. A handler of SIGSEGV is put in
//     front of Go's for the message about the stack; it hands everything on.
//   - fork. The child has no Go: as in any Go program it may only exec or exit. seam_self
//     is NULL there, and netio's functions are libc's. A child made by vfork runs in our
//     memory while its parent, which keeps its place in Go's scheduler, waits for it:
//     it may do nothing that waits for us.
//   - Floating-point settings (rounding, flushing) belong to the coroutine: Go keeps
//     its own. (In the fallback they stay with the thread, as in a cgo call.)
//   - AddressSanitizer: C compiled with -fsanitize=address works, its fake stacks go
//     along. With go build -asan the fallback is used. Valgrind knows the stacks where
//     CGO_CFLAGS has -DSEAM_VALGRIND.
//
// # When it goes wrong
//
// A panic of a Go function that C called unwinds the goroutine to the call. Before it
// goes on, C is told: its seam_upcall returns SEAM_EPANIC and so does everything it
// asks for, until it has freed what it holds and returned. runtime.Goexit and a
// context that ends (SEAM_ECANCELED) are told in the same way. A coroutine that goes on
// asking after a million refusals (some thousand in the fallback) is given up: a message on standard error, [Stats].Abandoned,
// its stack not used again. The same is said of a [Coroutine] that was never closed.
// So C must look at what seam_upcall returns; where it is called back by a library
// that can't be told to stop (qsort), the callback notes the first failure and asks for
// nothing more.
//
// # Where it works
//
// [Status] and `seam doctor` tell how this program does it and why. The switch is
// assembly for linux/amd64 and linux/arm64 with Go 1.25 to 1.27, guarded as in package
// leaf. Elsewhere, with -asan or -msan, and with SEAM_CORO=cgo in the environment,
// C runs on a thread of its own and reaches Go by cgo callbacks: the same interface
// and results, a microsecond or more a switch, a thread for each call (also for one
// that is made inside an upcall, which matters for locks that know their owner), and
// package netio has no effect. Without cgo, code that uses the package does not compile, and
// the compiler says why.
package coro
