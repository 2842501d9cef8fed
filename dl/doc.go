// Package dl calls C libraries without cgo: it loads a shared library when the program runs
// and calls its functions, with CGO_ENABLED=0 and no C compiler.
//
// A C function is described by a struct: its arguments in C's order, then its result.
//
//	type cosArgs struct {
//		X      float64
//		Result float64 `dl:"result"`
//	}
//
//	lib, err := dl.Open("libm.so.6")
//	cos, err := dl.LeafOf[cosArgs](lib, "cos")
//	args := cosArgs{X: 1}
//	cos.Call(&args) // args.Result is 0.54…
//
// There are two ways to call:
//
//   - A [Func] is called as cgo calls C: the goroutine announces a system call, so C may
//     block, take its time and call back into Go. [Bound] limits how many goroutines may be
//     in it at once.
//   - A [Leaf] runs on the thread's system stack without being announced, at a tenth of the
//     price or less. It must return within microseconds, must not block, and must not call Go.
//     The guard times a sample of the calls, and calls a function that takes too long as a
//     Func from then on, with one line on standard error.
//
// # Fields
//
// Integers, floats, pointers, complex numbers, arrays in structs, and structs by value are
// described by the Go type of the same layout, so C's int is an int32 and C's long an int64
// or, on 32-bit machines, an int32. A C array as a parameter is a pointer. Fields named _ are
// padding.
// A tag says what is not an argument:
//
//	`dl:"result"`    the result; at most one. Without it the result is ignored.
//	`dl:"errno"`     an int32 that gets errno as it was right after the call
//	`dl:"variadic"`  the argument is the first of a variadic function's variable ones
//
// A struct type whose C counterpart is a union implements [Union]. long double, vectors,
// 128-bit integers and packed structs by value are not known, and are errors.
//
// Fields of eight bytes are the fastest: a function whose arguments are up to six of them
// (eight on arm64), none a float, or up to four float64 and nothing else, takes an entry made
// for it. C does not mind if an int comes as int64(x).
//
// # Memory
//
// The arguments' struct doesn't escape. What its pointers lead to may be Go memory until the
// call returns; C must not keep such a pointer, unless it is pinned by runtime.Pinner.
// With a Leaf that memory may be on the goroutine's stack and may have further Go pointers
// in it. With a Func it is on the heap, and pointers in it must lead to pinned memory, since
// callbacks let the garbage collector in: the rules of cgo. They are not checked at run time.
//
// # Callbacks
//
// [NewCallback] makes a C function of a Go one; the same kind of struct describes it.
// C may call it from any thread. Most C functions that take one also take a pointer that they
// hand on: make one callback for the type, for as long as the program runs, and pass a
// [Handle] for the value.
//
// # Where it works
//
// Linux on amd64 and arm64 has all of it, with CGO_ENABLED=0 and 1, linked against glibc or, with cgo,
// musl. Other systems go through the purego module, which is slower and knows fewer types:
// [Status] says what is used and why.
package dl
