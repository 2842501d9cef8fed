//go:build payload_program && payload_cxx

package main

/*
#cgo CPPFLAGS: -I${SRCDIR}/../include
#cgo CXXFLAGS: -std=c++17 -O3 -ftls-model=initial-exec
#cgo payload_nlohmann CXXFLAGS: -O2
#cgo payload_simdjson LDFLAGS: -lsimdjson
#cgo noescape codec_view
#cgo nocallback codec_view
#cgo noescape codec_fill
#cgo nocallback codec_fill
#cgo nocallback codec_registered
#cgo noescape empty_view
#cgo nocallback empty_view
#cgo noescape empty_fill
#cgo nocallback empty_fill
#cgo nocallback empty_registered
#include <stdlib.h>
#include "codec.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	_ "github.com/seamgo/seam/include"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
)

func library() string { return C.GoString(C.codec_version()) }

var ways = map[string]func() (user, error){
	"cgo-copy":   able(func() (user, error) { return &copying{}, nil }),
	"view":       able(func() (user, error) { return &viewing{}, nil }),
	"fill":       able(func() (user, error) { return &filling{}, nil }),
	"registered": able(newRegistered),
	"leaf":       able(func() (user, error) { return &leafing{}, nil }),
}

// able refuses work with a library that can't run here.
func able(how func() (user, error)) func() (user, error) {
	return func() (user, error) {
		if library() == "" {
			return nil, errors.New("the library was compiled for another processor")
		}
		return how()
	}
}

func failed(status int) error {
	switch status {
	case C.CODEC_OK:
		return nil
	case C.CODEC_MALFORMED:
		return fmt.Errorf("%s: the message is malformed, or no order", library())
	case C.CODEC_MEMORY:
		return fmt.Errorf("%s: not enough memory", library())
	}
	return fmt.Errorf("%s: status %d", library(), status)
}

// Buf is room for messages, of Go's.
type buf struct{ b []byte }

func (r *buf) room(n int) ([]byte, error) {
	r.b = slices.Grow(r.b[:0], n+slack)
	return r.b[:n], nil
}

func (r *buf) close() error { return nil }

// Copying has the message copied to C and the answer copied from there.
type copying struct{ buf }

func (u *copying) do(in []byte) ([]byte, error) {
	p := C.CBytes(in)
	defer C.free(p)
	r := C.codec_copy((*C.char)(p), C.size_t(len(in)))
	return adopt(r)
}

// adopt copies a result of C's and frees it.
func adopt(r C.owned) ([]byte, error) {
	if r.status != C.CODEC_OK {
		return nil, failed(int(r.status))
	}
	out := C.GoBytes(unsafe.Pointer(r.data), C.int(r.len))
	C.free(unsafe.Pointer(r.data))
	return out, nil
}

// Viewing has C read the message where it is.
type viewing struct{ buf }

func (u *viewing) do(in []byte) ([]byte, error) {
	s := mem.StrOfBytes(in)
	return adopt(C.codec_view((*C.char)(unsafe.Pointer(s.Data)), C.size_t(s.Len), C.size_t(cap(in))))
}

// Filling has C write the answer where it will be, too.
type filling struct {
	buf
	out []byte
}

func (u *filling) do(in []byte) ([]byte, error) {
	s := mem.StrOfBytes(in)
	fill := mem.FillInto(u.out)
	for again := true; again; {
		to := fill.Room()
		r := C.codec_fill((*C.char)(unsafe.Pointer(s.Data)), C.size_t(s.Len), C.size_t(cap(in)),
			(*C.uint8_t)(unsafe.Pointer(to.Data)), C.size_t(to.Cap))
		if r.status != C.CODEC_OK {
			return nil, failed(int(r.status))
		}
		to.Len, to.Need = int(r.len), int(r.need)
		var err error
		if again, err = fill.Again(to, largest); err != nil {
			return nil, err
		}
	}
	u.out = fill.Bytes()
	return u.out, nil
}

// The pool is for both messages and answers. It is no larger than necessary: the more
// memory Go has in use, the less often it collects, for the other ways too.
var registered = sync.OnceValues(func() (*mem.Pool, error) {
	p, err := mem.NewPool(mem.Class{Size: 4 << 10, Count: 64}, mem.Class{Size: 64 << 10, Count: 24}, mem.Class{Size: largest, Count: 2})
	if err == nil {
		C.codec_register(p.C())
	}
	return p, err
})

// Registering has C find message and answer in buffers that it knows by number.
type registering struct {
	pool    *mem.Pool
	in, out mem.Buffer
	size    int // of out
}

func newRegistered() (user, error) {
	p, err := registered()
	return &registering{pool: p, size: 4 << 10}, err
}

func (u *registering) room(n int) ([]byte, error) {
	if u.in.Handle() != 0 {
		if err := u.in.Release(); err != nil {
			return nil, err
		}
	}
	var err error
	if u.in, err = u.pool.Get(n + slack); err != nil {
		return nil, err
	}
	b, err := u.in.Bytes()
	return b[:n], err
}

func (u *registering) do(in []byte) ([]byte, error) {
	for {
		// The answer before has been read.
		if u.out.Handle() != 0 {
			if err := u.out.Release(); err != nil {
				return nil, err
			}
			u.out = mem.Buffer{}
		}
		var err error
		if u.out, err = u.pool.Get(u.size); err != nil {
			return nil, err
		}
		r := C.codec_registered(C.seam_buffer(u.in.Handle()), C.size_t(len(in)), C.seam_buffer(u.out.Handle()))
		switch {
		case r.status != C.CODEC_OK:
			return nil, failed(int(r.status))
		case r.need != 0:
			u.size = int(r.need)
			continue
		}
		b, err := u.out.Bytes()
		if err != nil || int(r.len) > len(b) {
			return nil, errors.Join(err, fmt.Errorf("an answer of %d bytes in a buffer of %d", r.len, len(b)))
		}
		return b[:r.len], nil
	}
}

func (u *registering) close() error {
	var errs []error
	for _, b := range []mem.Buffer{u.in, u.out} {
		if b.Handle() != 0 {
			errs = append(errs, b.Release())
		}
	}
	u.in, u.out = mem.Buffer{}, mem.Buffer{}
	return errors.Join(errs...)
}

// Leafing is filling without cgo.
type leafing struct {
	buf
	out []byte
}

// CodecArgs are a codec_args.
type codecArgs struct {
	in       mem.Str
	readable int
	out      mem.Bytes
	status   int64
}

// As large as in C, or it does not compile.
var (
	_ [unsafe.Sizeof(codecArgs{}) - unsafe.Sizeof(C.codec_args{})]byte
	_ [unsafe.Sizeof(C.codec_args{}) - unsafe.Sizeof(codecArgs{})]byte
)

var (
	codecLeaf = leaf.Of[codecArgs]("codec_leaf", unsafe.Pointer(C.codec_leaf))
	emptyLeaf = leaf.Of[codecArgs]("empty_leaf", unsafe.Pointer(C.empty_leaf))
)

func (u *leafing) do(in []byte) ([]byte, error) {
	args := codecArgs{in: mem.StrOfBytes(in), readable: cap(in)}
	fill := mem.FillInto(u.out)
	for again := true; again; {
		args.out = fill.Room()
		codecLeaf.Call(&args)
		if args.status != C.CODEC_OK {
			return nil, failed(int(args.status))
		}
		var err error
		if again, err = fill.Again(args.out, largest); err != nil {
			return nil, err
		}
	}
	u.out = fill.Bytes()
	return u.out, nil
}
