// Package good casts what is alike.
package good

// #include <stdint.h>
// struct point { int x; int y; };
// typedef struct opaque opaque;
// static int sum(int *list, int n) { return list[0]; }
// static int take(struct point *p) { return p->x; }
// static int bytes(char *p) { return *p; }
// opaque *get(void);
import "C"

import "unsafe"

type point struct{ X, Y int32 }

type header struct{ kind, size int64 }

func numbers(list []int32) C.int {
	return C.sum((*C.int)(unsafe.Pointer(&list[0])), C.int(len(list)))
}

func structs(p *point) C.int { return C.take((*C.struct_point)(unsafe.Pointer(p))) }

func buffer(b []byte) C.int { return C.take((*C.struct_point)(unsafe.Pointer(&b[0]))) }

func chars(list []int) C.int { return C.bytes((*C.char)(unsafe.Pointer(&list[0]))) }

func opaque() *header { return (*header)(unsafe.Pointer(C.get())) }
