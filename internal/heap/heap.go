//go:build linux && !android && cgo && gc && (amd64 || arm64) && !asan && !msan

package heap

// #cgo CFLAGS: -O2 -Wall -Wextra -I${SRCDIR}/../unwind -I${SRCDIR}/../csys
// #cgo LDFLAGS: -ldl -lpthread
// #include "heap.h"
// int seam_heap_start(uint64_t rate, int layout);
// void seam_heap_arenas(int64_t *held, int64_t *unused);
// int seam_heap_symbol(uintptr_t pc, const char **name);
import "C"

import (
	"syscall"
	"unsafe"

	_ "github.com/seamgo/seam/internal/csys"   // whose headers C uses
	_ "github.com/seamgo/seam/internal/unwind" // whose headers and functions C uses
)

// Start begins to count: a block in so many bytes, all with 1. layout says that the runtime is laid
// out as package abi has it. Tables of what is loaded must be there. It is called once.
func Start(rate uint64, layout bool) error {
	known := C.int(0)
	if layout {
		known = 1
	}
	if errno := C.seam_heap_start(C.uint64_t(rate), known); errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}

// A Site is a stack that has allocated. Bytes and blocks are what samples stand for.
type Site struct {
	PCs    []uintptr // innermost first, each in its call
	C      int       // how many of them are C's
	Mapped bool      // by mmap

	Live, LiveObjects, Bytes, Objects int64
	Samples                           uint64
}

// Counts are those of all sites.
type Counts struct {
	Rate       uint64
	Live, Peak int64
	Lost       uint64 // samples for which there was no room
}

// Read returns what has been counted so far; nothing before Start has succeeded.
func Read() (sites []Site, counts Counts) {
	r := C.seam_heap_record
	if r == nil {
		return nil, counts
	}
	words := func(at C.uint64_t) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(r), at) }
	all := unsafe.Slice((*site)(words(r.sites_at)), int(load32(unsafe.Pointer(&r.sites))))
	pcs := unsafe.Slice((*uint64)(words(r.pcs_at)), C.SEAM_HEAP_PCS)
	for i := range all {
		s := &all[i]
		if load(&s.objects) == 0 {
			continue
		}
		list := make([]uintptr, s.depth)
		for k := range list {
			list[k] = uintptr(pcs[int(s.first)+k])
		}
		thousandth := func(n int64) int64 { return (n + 500) / 1000 }
		sites = append(sites, Site{PCs: list, C: int(s.c), Mapped: s.kind == C.SEAM_HEAP_MMAP,
			Live: load(&s.live), LiveObjects: thousandth(load(&s.liveObjects)), Bytes: load(&s.bytes), Objects: thousandth(load(&s.objects)), Samples: uint64(load(&s.samples))})
	}
	return sites, Counts{Rate: uint64(r.rate), Live: load((*int64)(unsafe.Pointer(&r.live))), Peak: load((*int64)(unsafe.Pointer(&r.peak))), Lost: uint64(load((*int64)(unsafe.Pointer(&r.lost_blocks))))}
}

// Name is the function of C's at an address.
func Name(pc uintptr) string {
	var name *C.char
	C.seam_heap_symbol(C.uintptr_t(pc), &name)
	return C.GoString(name)
}

// Arenas are the bytes that glibc's malloc has from the system, and those of them that nobody uses; 0
// of another allocator.
func Arenas() (held, free int64) {
	var h, f C.int64_t
	C.seam_heap_arenas(&h, &f)
	return int64(h), int64(f)
}
