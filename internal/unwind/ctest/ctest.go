//go:build linux && !android && cgo && (amd64 || arm64)

package ctest

// With -rdynamic the names are there in test binaries too, which are stripped.

// #cgo CFLAGS: -O3 -fomit-frame-pointer -I${SRCDIR}/.. -I${SRCDIR}/../../csys
// #cgo LDFLAGS: -lpthread -lrt -ldl -rdynamic
// #include <stdlib.h>
// #include "ctest.h"
// #include "say.h"
// #include "traceback.h"
// void ctest_call_go(void *);
// void ctest_call_go_often(void *);
// static void ctest_often(long times) { ctest_chain(0, ctest_call_go_often, (void *)times); }
import "C"

import (
	"os"
	"unsafe"

	_ "github.com/seamgo/seam/internal/csys"   // rebuilds this package when a header changes
	_ "github.com/seamgo/seam/internal/unwind" // whose C is called
)

// Chains are the chains of C functions: the first is 20 deep, the others have a special frame
// each.
var Chains = []string{"ctest_20", "ctest_alloca", "ctest_aligned", "ctest_sorted", "ctest_handler"}

// Walk returns the names of the functions that a walk from a signal handler, at the end of a
// chain, finds.
func Walk(chain int) []string {
	var into C.ctest_pcs
	C.ctest_chain(C.int(chain), C.ctest_end(C.ctest_walk), unsafe.Pointer(&into))
	return namesOf(&into)
}

// Frames returns what a walk without tables finds there, and how many of them are no guesses. A blind one knows no
// more than the kernel says of another thread.
func Frames(chain int, blind bool) (names []string, sure int) {
	var into C.ctest_frames
	if blind {
		into.blind = 1
	}
	C.ctest_chain(C.int(chain), C.ctest_end(C.ctest_frames_walk), unsafe.Pointer(&into))
	for _, pc := range into.pcs[:into.n] {
		names = append(names, Name(uintptr(pc)))
	}
	return names, min(int(into.sure), len(names))
}

// WalkRecursion does so behind recursion of a way, with room for 32 functions.
func WalkRecursion(way, deep int) []string {
	var into C.ctest_pcs
	C.ctest_recurse(C.int(way), C.int(deep), C.ctest_end(C.ctest_walk_32), unsafe.Pointer(&into))
	return namesOf(&into)
}

// Mapping is what a report of a crash says of an address.
func Mapping(at uintptr) string {
	room := C.malloc(8 << 10)
	defer C.free(room)
	text := C.seam_text{at: (*C.char)(room), room: 8 << 10}
	C.seam_put_mapping(&text, C.uintptr_t(at))
	return C.GoStringN(text.at, C.int(text.n))
}

func namesOf(into *C.ctest_pcs) []string {
	var names []string
	for _, pc := range into.pcs[:into.n] {
		names = append(names, Name(uintptr(pc)))
	}
	return names
}

// Name returns the name of the C function at pc.
func Name(pc uintptr) string {
	arg := C.seam_symbol_arg{pc: C.uintptr_t(pc)}
	C.seam_symbolize(&arg)
	return C.GoString(arg.function)
}

// Base is what the addresses in the program's file are relative to.
func Base() uintptr {
	var epoch C.int
	base := C.seam_find(C.seam_enter(&epoch), C.seam_go_low).base
	C.seam_leave(epoch)
	return uintptr(base)
}

// Spin works for some milliseconds of the thread's CPU time at the end of a chain.
func Spin(chain int, ms int) {
	C.ctest_work(C.int(chain), C.long(ms))
}

// SpinThread does so on a thread that C makes.
func SpinThread(ms int) { C.ctest_thread(C.long(ms)) }

// Assert makes an assertion that fails, at the end of the first chain.
func Assert() { C.ctest_chain(0, C.ctest_end(C.ctest_assert), nil) }

// Abort calls abort at the end of the first chain.
func Abort() { C.ctest_chain(0, C.ctest_end(C.ctest_abort), nil) }

// BadHandlers installs handlers: for SIGUSR1 without SA_ONSTACK, for SIGURG in the place of Go's.
func BadHandlers() { C.ctest_bad_handlers() }

// LoseStack takes the thread's alternate stack away and crashes.
func LoseStack() { C.ctest_chain(0, C.ctest_end(C.ctest_lose_and_crash), nil) }

// Wait waits at the end of a chain until Wake is called.
func Wait(chain int) { C.ctest_chain(C.int(chain), C.ctest_end(C.ctest_wait), nil) }

// Wake has one call of Wait return.
func Wake() { C.ctest_wake() }

// Nap sleeps for some microseconds at the end of a chain.
func Nap(chain, us int) {
	C.ctest_chain_nap(C.int(chain), C.long(us))
}

// Args are of Leaf and Coroutine: they work at the end of a chain, or crash there.
type Args = C.ctest_args

// Leaf is called with Args, Coroutine is a coroutine's function.
var (
	Leaf      = unsafe.Pointer(C.ctest_leaf)
	Coroutine = unsafe.Pointer(C.ctest_coroutine)

	Nothing          = unsafe.Pointer(C.ctest_empty) // the same, but they do nothing
	CoroutineNothing = unsafe.Pointer(C.ctest_coroutine_empty)
)

// Work returns the arguments for some milliseconds of work, -1 for a crash.
func Work(chain, ms int) Args { return Args{which: C.long(chain), ms: C.long(ms)} }

// Storm has signals sent to the thread, 40,000 a second, until the function it returns is
// called on the same thread.
func Storm() (calm func()) {
	w := new(C.ctest_weather)
	if C.ctest_storm(w) != 0 {
		panic("no timers")
	}
	return func() { C.ctest_calm(w) }
}

func init() {
	if os.Getenv("SEAM_CTEST_HANDLES") == "front" { // of Go's handler, before package prof is initialised
		Handle()
	}
}

// Handle installs a handler as libraries have that make faults of their own good.
func Handle() { C.ctest_handle() }

// Fill meets such faults, by a goroutine or on a thread of C's.
func Fill(thread bool) {
	if thread {
		C.ctest_on_thread(C.ctest_end(C.ctest_fill))
	} else {
		C.ctest_chain(0, C.ctest_end(C.ctest_fill), nil)
	}
}

// CrashUnaligned ends the program while words that aren't aligned may not be read.
func CrashUnaligned() { C.ctest_chain(0, C.ctest_end(C.ctest_unaligned_crash), nil) }

// CrashOnThread ends the program on a thread of C's.
func CrashOnThread() { C.ctest_on_thread(C.ctest_end(C.ctest_crash)) }

// Crash ends the program at the end of the first chain.
func Crash() { C.ctest_chain(0, C.ctest_end(C.ctest_crash), nil) }

var callback func()

//export seamProfTestGo
func seamProfTestGo() { callback() }

// Callback calls f at the end of a chain.
func Callback(chain int, f func()) {
	before := callback
	callback = f
	C.ctest_chain(C.int(chain), C.ctest_end(C.ctest_call_go), nil)
	callback = before
}

// Callbacks calls f so many times at the end of the first chain.
func Callbacks(times int, f func()) {
	before := callback
	callback = f
	C.ctest_often(C.long(times))
	callback = before
}

// CallbackOnThread calls f on a thread that C makes, at the end of the first chain.
func CallbackOnThread(f func()) {
	before := callback
	callback = f
	C.ctest_thread_go()
	callback = before
}

// UnderLock handles signals while another thread has the dynamic linker's lock.
func UnderLock(times int) bool { return C.ctest_under_lock(C.long(times)) == 1 }

// Garbage walks stacks of random words, and returns how many program counters are wrong.
func Garbage(times, seed int) int {
	return int(C.ctest_garbage(C.long(times), C.long(seed), C.seam_go_low, C.seam_go_high))
}

// Ways of CrashBy to crash, with the function in which it happens and the signal.
var Ways = []struct{ Func, Signal string }{
	{"ctest_divide", "SIGFPE"}, {"ctest_illegal", "SIGILL"}, {"ctest_bus", "SIGBUS"}, {"ctest_crash", "SIGSEGV"}, {"", "SIGSEGV"},
	{"ctest_crash", "SIGSEGV"}, {"ctest_crash", "SIGSEGV"}, {"", "SIGSEGV"}, {"ctest_overflow", "SIGSEGV"},
	{"ctest_overflow_by_calls", "SIGSEGV"}, {"", "SIGSEGV"}, {"ctest_overflow_by_probes", "SIGSEGV"}, {"ctest_overflow", "SIGSEGV"},
}

// The ways that are more than a signal.
const (
	Smashed   = 3 // with callers' frames overwritten
	Jumped    = 4 // by a call of NULL
	InThread  = 5 // that C has made
	InThreads = 6 // five at once
	Wild      = 7 // by a call of what is no code
	Overflow  = 8 // of the stack, by a frame
	Overflow2 = 9 // by a call
	Raised    = 10
	Overflow3 = 11 // by a frame of megabytes, whose pages are touched first
	Overflow4 = 12 // on a thread that C has made and that has not called Go
)

// CrashBy crashes at the end of the first chain.
func CrashBy(way int) { C.ctest_crash_by(C.int(way)) }

// AtOnce is how many threads ComeAndGo has at a time.
const AtOnce = C.CTEST_AT_ONCE

// ComeAndGo has so many threads of C's come and go, and returns how many alternate stacks they had.
func ComeAndGo(threads int) int {
	before := callback
	callback = func() {} // what some of them call
	n := C.ctest_come_and_go(C.long(threads))
	callback = before
	return int(n)
}

// CrashIn loads a library and crashes below its function run.
func CrashIn(path string) { C.ctest_crash_in(C.CString(path)) }

// Each walks the stack of a chain that works for some milliseconds at random places. It
// counts the walks, those that came to the chain's caller, and those that know no further. A
// walk takes ns.
func Each(chain int, ms int) (walks, whole, truncated int, ns float64) {
	var w, a, t C.long
	ns = float64(C.ctest_each(C.int(chain), C.long(ms), &w, &a, &t))
	return int(w), int(a), int(t), ns
}

// Throw throws a C++ exception through some frames so many times, while signals come 40,000
// times a second, and returns how many were caught.
func Throw(times int) int { return int(C.ctest_throw(C.long(times))) }

// Load loads a library, calls its function run and unloads it again so many times, while
// signals come. It returns how many times that was possible.
func Load(path string, times int) int {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return int(C.ctest_load(p, C.long(times)))
}

// SpinIn loads a library, works for some milliseconds below its function run, and unloads it.
func SpinIn(path string, ms int) {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	C.ctest_load_spin(p, C.long(ms))
}

// NameIn loads a library, asks for the name of its function run at once, and unloads it.
func NameIn(path string) string {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return C.GoString(C.ctest_name_in(p))
}

// Fork makes a child so many times that sends itself SIGPROF, and returns how many ended well.
func Fork(times int) int { return int(C.ctest_fork(C.long(times))) }

// Walks says how many stacks have been walked in this process.
func Walks() int { return int(C.seam_walks()) }

// Churn makes so many threads, one after the other, with signals on each.
func Churn(times int) int { return int(C.ctest_churn(C.long(times))) }
