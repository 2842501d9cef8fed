// Package mem shapes memory that Go and C both use, so that nothing is copied from one to
// the other and what goes wrong is an error with numbers in it.
//
// It has no C in it and calls none. Package leaf calls C, or cgo does, or package offload;
// this package makes what they pass. The C side is the header seam/mem.h (C11 and C++17):
// cgo packages find it in the folder include of this module, others get a copy by
// `seam headers DIR`.
//
//	// #include <seam/mem.h>
//	// typedef struct { seam_str in; seam_bytes out; } upper_args;
//	// void upper(upper_args *x); // reads x->in, writes x->out by seam_put
//	import "C"
//
//	type upperArgs struct { // lies as upper_args does
//		in  mem.Str
//		out mem.Bytes
//	}
//
//	var upper = leaf.Of[upperArgs]("upper", unsafe.Pointer(C.upper))
//
//	func Upper(buf []byte, s string) ([]byte, error) {
//		fill := mem.FillInto(buf)
//		for again := true; again; {
//			args := upperArgs{in: mem.StrOf(s), out: fill.Room()}
//			upper.Call(&args)
//			var err error
//			if again, err = fill.Again(args.out, 1<<20); err != nil {
//				return nil, err
//			}
//		}
//		return fill.Bytes(), nil
//	}
//
// # Which of these
//
//   - C reads a string or a slice of Go's during a call: [StrOf], [StrOfBytes], [SpanOf].
//   - C writes one result into Go's memory during a call: [FillInto].
//   - C builds a result of many parts, of a size that nobody knows before: [Arena].
//   - C keeps memory when it has returned: a [Buffer] of a [Pool].
//   - Go reads memory that C allocated: [Of], with an [Owner] that gives it back.
//   - C is to hear that nobody wants its result any longer: [Watch].
//   - C keeps a Go value and hands it back: [Handles].
//
// docs/mem.md in the repository has a table of them, of the mistakes that can be made and
// of the error that each one gives. The examples simdjson and zstd are whole programs.
//
// # Whose memory
//
// Memory that Go allocated stays Go's: C never frees it and never writes a Go pointer into
// it. A [Str], a [Span], the room of a [Fill] and the chunk of an [Arena] may be used by C
// until the function returns that was given them. The exception is a registered buffer:
// from seam_buffer_hold to seam_buffer_release it may be used at any time and from any
// thread, and when Go releases it meanwhile, that counts once C has released it too.
//
// Memory that C allocated stays C's. A [View] of it is good until its [Owner] is released,
// which the view knows and a slice taken from it does not. [View.Clone] is a copy that is
// Go's.
//
// Nothing moves while C uses it: Go's heap never does; a goroutine's stack can't during a
// leaf call, and cgo puts what it is given on the heap. Buffers, arenas and tokens are
// pinned (runtime.Pinner), since C has their addresses between calls or from another struct.
//
// # By leaf and by cgo
//
// A leaf call may be given a struct with a Str, a Span or a Bytes in it as it is. cgo's
// rules don't allow that: Go memory that is passed must not lead to other Go memory unless
// that is pinned. So for a function that is too slow for a leaf, pass the address and the
// length as arguments of their own, and results in a struct without pointers. Both of the
// examples do that for what is large. The addresses that [Pool.C], [Arena.C] and [Token.C]
// return may be passed either way, and GODEBUG=cgocheck=1 and GOEXPERIMENT=cgocheck2 find
// nothing wrong with them.
//
// # What is checked
//
// What C claims is looked at before it is believed: a length against the capacity, an
// address for nil, alignment and the address space, a size for overflow, a part against what
// the arena has, a handle's generation, and that C left alone what is Go's to say. Each has
// its own error ([ErrInvalid], [ErrInvalid], [ErrInvalid], …), with the numbers in its text; test
// for it by errors.Is. C has the same for handles: SEAM_MEM_ESTALE and others.
//
// What can't be seen in the numbers takes debug mode: SEAM_MEM=debug in the environment
// when the program starts. Then
//
//   - canaries lie behind rooms, chunks and buffers, and writing behind the end is
//     [ErrCorrupt] when C has returned or the buffer is released;
//   - released buffers are filled with 0xdb, and writing to one is [ErrCorrupt] when it is
//     next used, at [Pool.Check] and at [Pool.Close];
//   - the memory of an [Arena] is overwritten by Reset, so that old slices show it;
//   - a [View] with an Owner is a read-only snapshot that ends at a page nobody can read:
//     using a slice of it after the release, writing to it and reading behind it fault at
//     the line that does it;
//   - memory that is not mapped is [ErrInvalid], and an element type that C can't have
//     [ErrInvalid].
//
// It costs time and memory, so it is for tests. The go command does not know that a test's
// result depends on it: run SEAM_MEM=debug go test -count=1.
//
// # Layouts
//
// A Go struct that C reads must lie as C's does. Use cgo's own type (C.upper_args), or write
// the struct down in both languages and have it proven, by `seam layout` or by constants
// that don't compile otherwise:
//
//	const (
//		_ = uint(unsafe.Sizeof(upperArgs{}) - C.sizeof_upper_args)
//		_ = uint(C.sizeof_upper_args - unsafe.Sizeof(upperArgs{}))
//	)
//
// # Concurrency
//
// The methods of [Pool], [Buffer], [Owner], [Handles] and [View] may be called from any
// goroutine. A [Fill], an [Arena], a [Cache] and a [Token] are for one at a time.
package mem
