// Package mem shapes memory that both Go and C use, so that nothing is copied between them
// and a mistake is an error with numbers in it.
//
// The package has no C and calls none. It makes what package leaf, package offload or cgo
// then pass. The C side is the header seam/mem.h (C11 and C++17): cgo packages find it in
// the include folder of this module, and `seam headers DIR` writes a copy for others.
//
//	// #include <seam/mem.h>
//	// typedef struct { seam_str in; seam_bytes out; } upper_args;
//	// void upper(upper_args *x); // reads x->in, writes x->out with seam_put
//	import "C"
//
//	type upperArgs struct { // has the layout of upper_args
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
// # Which type to use
//
//   - C reads a Go string or slice during a call: [StrOf], [StrOfBytes], [SpanOf].
//   - C writes one result into Go memory during a call: [FillInto].
//   - C builds a result of many parts whose size nobody knows in advance: [Arena].
//   - C keeps memory after it has returned: a [Buffer] of a [Pool].
//   - Go reads memory that C allocated: [Of], with an [Owner] that frees it.
//   - C should learn that nobody wants its result any more: [Watch].
//   - C keeps a Go value and hands it back: [Handles].
//
// docs/mem.md in the repository has tables of them, of the mistakes one can make and of the
// error that each gives. The examples simdjson and zstd are whole programs.
//
// # Who owns the memory
//
// Memory that Go allocated stays Go's: C never frees it and never writes a Go pointer into
// it. C may use a [Str], a [Span], the room of a [Fill] and the chunk of an [Arena] until
// the function that got them returns. Registered buffers are the exception: from
// seam_buffer_hold to seam_buffer_release any thread may use them at any time. If Go
// releases one meanwhile, that takes effect once C has released it too.
//
// Memory that C allocated stays C's. A [View] of it is good until its [Owner] is released:
// the view checks that, a slice taken from it can't. [View.Clone] is a copy in Go memory.
//
// Nothing moves while C uses it: Go's heap never does, a goroutine's stack can't during a
// leaf call, and cgo puts what it passes on the heap. Buffers, arenas and tokens are pinned
// (runtime.Pinner), because C has their addresses between calls or from another struct.
//
// # Through leaf and through cgo
//
// A leaf call may pass a struct with a Str, a Span or a Bytes in it as it is. cgo's rules
// don't allow that: Go memory that is passed must not lead to other Go memory unless that is
// pinned. So for a function too slow for a leaf, pass the address and the length as
// arguments of their own, and results in a struct without pointers. Both examples do that
// for large inputs. What [Pool.C], [Arena.C] and [Token.C] return may be passed either way;
// GODEBUG=cgocheck=1 and GOEXPERIMENT=cgocheck2 accept it.
//
// # What is checked
//
// The package checks what C claims before it believes it: a length against the capacity, an
// address for nil, alignment and address range, a size for overflow, a part against the
// arena, a handle's generation, and that C left alone what it must not change. What can't
// be true is [ErrInvalid], with the numbers in its text; test for it with errors.Is. C gets
// codes for handles: SEAM_MEM_ESTALE and others.
//
// What the numbers don't show takes debug mode: SEAM_MEM=debug in the environment when the
// program starts. Then
//
//   - canaries follow rooms, chunks and buffers, and writing past the end is [ErrCorrupt]
//     when C has returned or the buffer is released;
//   - released buffers are filled with 0xdb, and writing to one is [ErrCorrupt] at its next
//     use, at [Pool.Check] and at [Pool.Close];
//   - Reset overwrites the memory of an [Arena], so that old slices show it;
//   - a [View] with an Owner is a read-only snapshot that ends at an unreadable page: using a
//     slice of it after the release, writing to it and reading past it fault on the line
//     that does it;
//   - memory that is not mapped and an element type that C can't have are [ErrInvalid].
//
// Debug mode costs time and memory, so it is for tests. The go command does not know that a
// test's result depends on it: run SEAM_MEM=debug go test -count=1. [Status] says whether
// it is on.
//
// # Layouts
//
// A Go struct that C reads must have C's layout. Use cgo's own type (C.upper_args), or write
// the struct in both languages and have the layout proven, by `seam layout` or by constants
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
// goroutine. Those of one [Fill], [Arena], [Cache] or [Token] must not be called
// concurrently.
//
// All of it works in the bubbles of testing/synctest. A deadline of the bubble's clock is,
// for C, the same time from now on the system's.
package mem
