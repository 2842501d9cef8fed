package bad

/*
#include <stdint.h>
struct cap { uint32_t type; int32_t r[10]; };
static int get(struct cap *c) { c->type = 1; return 0; }
*/
import "C"

import "unsafe"

type farther struct {
	typ uint32
	r   [10]int32
	_   [4]uint32
}

func get() farther {
	var cap C.struct_cap
	C.get(&cap)
	return *(*farther)(unsafe.Pointer(&cap)) // want error "16 bytes behind the variable are read or written"
}

func byPointer() *farther {
	cap := new(C.struct_cap)
	var held C.struct_cap
	p := &held
	C.get(cap)
	return (*farther)(unsafe.Pointer(p)) // want error "held has 44 bytes and farther has 60"
}

func numberBehind() uint64 {
	var n uint32
	return *(*uint64)(unsafe.Pointer(&n)) // want error "n has 4 bytes and uint64 has 8: 4 bytes behind"
}
