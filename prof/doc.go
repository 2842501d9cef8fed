// Package prof lets Go's own profiles and tracebacks show the frames of C.
//
//	import _ "github.com/seamgo/seam/prof"
//
// With that line CPU profiles (runtime/pprof, net/http/pprof, go test -cpuprofile), goroutine
// dumps, panics and crashes have the C functions between the Go functions that called them
// and those that they call. Without it a profile ends at runtime.cgocall, and a crash in C
// says where the instruction was.
//
// It registers functions by runtime.SetCgoTraceback, of which a program can have one set:
// where another package's are registered first, this one leaves them, and [Status] says so.
// One that comes later panics ("call SetCgoTraceback only once"): import one or the other.
// (Under seam prof a program's own always come first.)
//
// # What is shown
//
//   - C and C++ called by cgo, on every thread, also threads that C made.
//   - C that Go's scheduler doesn't know of, with the Go function that called it: leaves, welded
//     calls, and coroutines down to their first function (Go 1.25 to 1.27), and the assembly on
//     the way. Between C and Go stands mustNotCallGo, as in tracebacks.
//   - The C between two Go functions when C calls Go back, to any depth.
//   - Frames of functions without frame pointers, of stubs of the dynamic linker, of the vDSO,
//     and those below a signal handler. What was loaded after the start is known some
//     milliseconds after the first sample in it. What is unloaded before the profile's writer,
//     which runs ten times a second, has asked for a name has none.
//   - At most 32 frames of C for each call, which is the runtime's own limit. Of more the innermost
//     and the outermost are there: recursion is folded to one round, with "[recursion]" behind it,
//     and "[left out]" stands for what has no room. Where the stack can't be followed (hand-written
//     assembly or generated code without call frame information and frame pointers), the last is
//     called "[truncated]".
//
// Names come from the symbol tables of files, and C++ names are as the linker has them (go tool
// pprof writes them out, and for a crash report seam prof --crash does). A function
// without a name is called by its file, as [libc.so.6]. There are no line numbers of C.
//
// Where lines are missing go tool pprof looks all names up again, in the program's file if
// that is at hand, and finds fewer: clones that the compiler made (f.constprop.0) become
// [program]. With -symbolize=none it keeps the names that the profile has.
//
// # What it costs
//
// Tables are made when the program starts, from the call frame information (.eh_frame) of all
// that is loaded. A sample takes half a microsecond more than without, and a call from C to Go half as
// much again as without.
//
// # Signals
//
// Handlers for SIGPROF and for the signals that end a program are put in front of Go's when
// the program starts, and pass everything on. In a program that C has started and that loads
// Go, leaves and coroutines are not in profiles: Go has no handler of SIGPROF there until a
// profile begins.
//
// In a child that C makes by fork SIGPROF does nothing. Go's own handler would wait there for a
// lock that a thread of the parent may have held. This needs the handlers of Go 1.25 to 1.27 and
// libc's fork: a child by a bare clone system call must get no SIGPROF while a profile is taken.
//
// A fault in C is reported before Go's own report of it: the C stack, what is mapped at the
// address and at the stack pointer, the registers, the build IDs of the files, and what [Signals]
// lists. A fault that C handles, in a handler that was there before Go's or in front of it, is no
// crash. With SEAM_CRASH=DIR in the environment each report also becomes a file in that folder,
// and [SetCrashOutput] has it in a file together with Go's.
//
// Nothing that runs in a signal handler takes a lock, allocates or asks the dynamic linker:
// profiles by way of libgcc's unwinder hang when a signal meets a C++ exception. Memory is
// read only where the kernel has said that it can be.
//
// It works on Linux on amd64 and arm64. Elsewhere, with CGO_ENABLED=0, and under the address
// and memory sanitizers, the package does nothing.
package prof
