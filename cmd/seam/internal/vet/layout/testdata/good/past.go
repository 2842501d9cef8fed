package good

/*
#include <stdint.h>
struct head { uint32_t type; };
*/
import "C"

import "unsafe"

type whole struct {
	typ  uint32
	more [4]uint32
}

func begins() uint32 {
	var w whole
	h := (*C.struct_head)(unsafe.Pointer(&w))
	return uint32(h._type)
}

func bytes() byte {
	var n uint32
	return (*[1 << 20]byte)(unsafe.Pointer(&n))[1]
}

func part() uint32 {
	var n uint64
	return *(*uint32)(unsafe.Pointer(&n))
}
