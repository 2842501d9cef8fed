//go:build cgo && linux

package lifetime

// The idioms. This file is measured, and the same file is compiled once more by the
// user's compiler for its verdicts: so it imports nothing but packages leaf and mem.

/*
#cgo CFLAGS: -O2 -Wall -Wextra -Dmalloc=seam_lifetime_malloc -I${SRCDIR}/../../../../../../include
#cgo noescape seam_lifetime_look_noescape
#cgo nocallback seam_lifetime_look_noescape
#cgo noescape seam_lifetime_fill_noescape
#cgo nocallback seam_lifetime_fill_noescape
#include "lifetime.h"

// cgo's directives go by name: the same functions under other ones.
static inline uint64_t seam_lifetime_look_noescape(const uint8_t *p, size_t n) { return seam_lifetime_look(p, n); }
static inline void seam_lifetime_fill_noescape(uint8_t *p, size_t n) { seam_lifetime_fill(p, n); }
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"

	_ "github.com/seamgo/seam/include"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
)

// The arguments of leaf functions, as C has them.
type (
	lookArgs struct {
		in  mem.Str
		sum uint64
	}
	fillArgs struct {
		out mem.Bytes
		n   int
	}
	bufferArgs struct {
		pool   unsafe.Pointer
		buffer uint64
		n      int
		sum    uint64
		err    int64
	}
	arenaArgs struct {
		arena unsafe.Pointer
		n     int
		part  mem.Part
	}
)

var (
	lookAt     = leaf.Of[lookArgs]("seam_lifetime_look_at", unsafe.Pointer(C.seam_lifetime_look_at))
	fillAt     = leaf.Of[fillArgs]("seam_lifetime_fill_at", unsafe.Pointer(C.seam_lifetime_fill_at))
	lookBuffer = leaf.Of[bufferArgs]("seam_lifetime_look_buffer", unsafe.Pointer(C.seam_lifetime_look_buffer))
	fillBuffer = leaf.Of[bufferArgs]("seam_lifetime_fill_buffer", unsafe.Pointer(C.seam_lifetime_fill_buffer))
	fillArena  = leaf.Of[arenaArgs]("seam_lifetime_fill_arena", unsafe.Pointer(C.seam_lifetime_fill_arena))
)

// ends is what Go does with bytes that it gets: it looks at the first and the last.
func ends(b []byte) uint64 { return uint64(b[0]) + uint64(b[len(b)-1]) }

// ---- bytes to C

//go:noinline
func cstringFree(s string) uint64 {
	p := C.CString(s)
	defer C.free(unsafe.Pointer(p))
	return uint64(C.seam_lifetime_look((*C.uint8_t)(unsafe.Pointer(p)), C.size_t(len(s))))
}

//go:noinline
func cbytesFree(b []byte) uint64 {
	p := C.CBytes(b)
	defer C.free(p)
	return uint64(C.seam_lifetime_look((*C.uint8_t)(p), C.size_t(len(b))))
}

//go:noinline
func pinner(b []byte) uint64 {
	var pins runtime.Pinner
	pins.Pin(unsafe.SliceData(b))
	defer pins.Unpin()
	args := C.seam_lifetime_look_args{in: C.seam_str{data: (*C.char)(unsafe.Pointer(unsafe.SliceData(b))), len: C.size_t(len(b))}}
	C.seam_lifetime_look_at(&args)
	return uint64(args.sum)
}

//go:noinline
func pointer(b []byte) uint64 {
	return uint64(C.seam_lifetime_look((*C.uint8_t)(unsafe.SliceData(b)), C.size_t(len(b))))
}

//go:noinline
func pointerNoescape(b []byte) uint64 {
	return uint64(C.seam_lifetime_look_noescape((*C.uint8_t)(unsafe.SliceData(b)), C.size_t(len(b))))
}

//go:noinline
func view(s string) uint64 {
	args := lookArgs{in: mem.StrOf(s)}
	lookAt.Call(&args)
	return args.sum
}

// registered has the bytes in the buffer already: that is where they are made.
//
//go:noinline
func registered(p *mem.Pool, c *mem.Cache, n int) uint64 {
	b, err := c.Get()
	if err != nil {
		panic(err)
	}
	args := bufferArgs{pool: p.C(), buffer: b.Handle(), n: n}
	lookBuffer.Call(&args)
	if err := c.Put(b); err != nil || args.err != 0 {
		panic("lifetime: a registered buffer was refused")
	}
	return args.sum
}

// ---- bytes from C

//go:noinline
func gobytesFree(n int) uint64 {
	p := unsafe.Pointer(C.seam_lifetime_make(C.size_t(n)))
	defer C.free(p)
	return ends(C.GoBytes(p, C.int(n)))
}

//go:noinline
func gostringFree(n int) uint64 {
	p := C.seam_lifetime_make(C.size_t(n))
	defer C.free(unsafe.Pointer(p))
	s := C.GoString(p)
	return uint64(s[0]) + uint64(s[len(s)-1])
}

//go:noinline
func mallocFree(n int) uint64 {
	p := C.malloc(C.size_t(n))
	defer C.free(p)
	C.seam_lifetime_fill((*C.uint8_t)(p), C.size_t(n))
	return ends(unsafe.Slice((*byte)(p), n))
}

// owned is C memory that the collector gives back where its user forgets to.
type owned struct {
	p    unsafe.Pointer
	n    int
	free runtime.Cleanup
}

func (o *owned) close() {
	o.free.Stop()
	C.free(o.p)
}

//go:noinline
func cleanup(n int) uint64 {
	o := &owned{p: C.malloc(C.size_t(n)), n: n}
	o.free = runtime.AddCleanup(o, func(p unsafe.Pointer) { C.free(p) }, o.p)
	defer o.close()
	C.seam_lifetime_fill((*C.uint8_t)(o.p), C.size_t(n))
	return ends(unsafe.Slice((*byte)(o.p), o.n))
}

//go:noinline
func ownerView(n int) uint64 {
	p := unsafe.Pointer(C.seam_lifetime_make(C.size_t(n)))
	owner := mem.NewOwner(func() { C.free(p) })
	v, err := mem.Of[byte](owner, p, n, n+1)
	if err != nil {
		panic(err)
	}
	b, err := v.Slice()
	if err != nil {
		panic(err)
	}
	sum := ends(b)
	if err := owner.Release(); err != nil {
		panic(err)
	}
	return sum
}

// The stack idioms have an array for C to fill. How large it is must be in their text.

//go:noinline
func stackCgo128() uint64 {
	var buf [128]byte
	C.seam_lifetime_fill((*C.uint8_t)(&buf[0]), C.size_t(len(buf)))
	return ends(buf[:])
}

//go:noinline
func stackCgo4096() uint64 {
	var buf [4096]byte
	C.seam_lifetime_fill((*C.uint8_t)(&buf[0]), C.size_t(len(buf)))
	return ends(buf[:])
}

//go:noinline
func stackNoescape128() uint64 {
	var buf [128]byte
	C.seam_lifetime_fill_noescape((*C.uint8_t)(&buf[0]), C.size_t(len(buf)))
	return ends(buf[:])
}

//go:noinline
func stackNoescape4096() uint64 {
	var buf [4096]byte
	C.seam_lifetime_fill_noescape((*C.uint8_t)(&buf[0]), C.size_t(len(buf)))
	return ends(buf[:])
}

//go:noinline
func stackFill128() uint64 {
	var buf [128]byte
	return fill(buf[:], len(buf))
}

//go:noinline
func stackFill4096() uint64 {
	var buf [4096]byte
	return fill(buf[:], len(buf))
}

//go:noinline
func fill(buf []byte, n int) uint64 {
	out := mem.FillInto(buf)
	args := fillArgs{n: n}
	for again := true; again; {
		args.out = out.Room()
		fillAt.Call(&args)
		var err error
		if again, err = out.Again(args.out, 1<<20); err != nil {
			panic(err)
		}
	}
	return ends(out.Bytes())
}

//go:noinline
func registeredFill(p *mem.Pool, c *mem.Cache, n int) uint64 {
	b, err := c.Get()
	if err != nil {
		panic(err)
	}
	args := bufferArgs{pool: p.C(), buffer: b.Handle(), n: n}
	fillBuffer.Call(&args)
	out, err := b.Bytes()
	if err != nil || args.err != 0 {
		panic("lifetime: a registered buffer was refused")
	}
	sum := ends(out[:n])
	if err := c.Put(b); err != nil {
		panic(err)
	}
	return sum
}

//go:noinline
func arena(a *mem.Arena, n int) uint64 {
	a.Reset()
	args := arenaArgs{arena: a.C(), n: n}
	for again := true; again; {
		fillArena.Call(&args)
		var err error
		if again, err = a.Again(1 << 20); err != nil {
			panic(err)
		}
	}
	b, err := a.Bytes(args.part)
	if err != nil {
		panic(err)
	}
	return ends(b)
}

// ---- a Go value that C keeps for a while and hands back

// A value is what C has no business with.
type value struct{ n uint64 }

//go:noinline
func cgoHandle(v *value) uint64 {
	h := cgo.NewHandle(v)
	defer h.Delete()
	back := cgo.Handle(C.seam_lifetime_back(C.uint64_t(h)))
	return back.Value().(*value).n
}

//go:noinline
func memHandle(all *mem.Handles[value], v *value) uint64 {
	h, err := all.New(v)
	if err != nil {
		panic(err)
	}
	back, err := all.Get(mem.Handle(C.seam_lifetime_back(C.uint64_t(h))))
	if err != nil {
		panic(err)
	}
	n := back.n
	if err := all.Delete(h); err != nil {
		panic(err)
	}
	return n
}

//go:noinline
func pinnedValue(v *value) uint64 {
	var pins runtime.Pinner
	pins.Pin(v)
	defer pins.Unpin()
	return (*value)(C.seam_lifetime_back_pointer(unsafe.Pointer(v))).n
}

// ---- what is forgotten

// forget is cstringFree without the free. It returns where the memory is, so that the
// experiment can give it back after all.
//
//go:noinline
func forget(s string) unsafe.Pointer {
	p := C.CString(s)
	C.seam_lifetime_look((*C.uint8_t)(unsafe.Pointer(p)), C.size_t(len(s)))
	return unsafe.Pointer(p)
}

// remember gives back what was forgotten.
func remember(p unsafe.Pointer) { C.free(p) }

// trimMalloc gives the system back what malloc keeps of freed memory.
func trimMalloc() { C.seam_lifetime_trim() }

// malloced is how many bytes have been asked of malloc here since the program began.
func malloced() uint64 { return uint64(C.seam_lifetime_malloced()) }
