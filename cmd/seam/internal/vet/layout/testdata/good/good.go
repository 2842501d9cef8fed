// Package good casts what is alike.
package good

// #include <stdint.h>
// #include <sys/socket.h>
// struct point { int x; int y; };
// typedef struct opaque opaque;
// static int sum(int *list, int n) { return list[0]; }
// static int take(struct point *p) { return p->x; }
// static int bytes(char *p) { return *p; }
// opaque *get(void);
// static int family(struct sockaddr *a) { return a->sa_family; }
import "C"

import (
	"syscall"
	"unsafe"
)

type point struct{ X, Y int32 }

type header struct{ kind, size int64 }

func numbers(list []int32) C.int {
	return C.sum((*C.int)(unsafe.Pointer(&list[0])), C.int(len(list)))
}

func structs(p *point) C.int { return C.take((*C.struct_point)(unsafe.Pointer(p))) }

func buffer(b []byte) C.int { return C.take((*C.struct_point)(unsafe.Pointer(&b[0]))) }

func chars(list []int) C.int { return C.bytes((*C.char)(unsafe.Pointer(&list[0]))) }

// C knows the beginning, and has a length for the rest.
func address(a *syscall.RawSockaddrAny, b *syscall.RawSockaddrInet6) C.int {
	return C.family((*C.struct_sockaddr)(unsafe.Pointer(a))) + C.family((*C.struct_sockaddr)(unsafe.Pointer(b)))
}

func opaque() *header { return (*header)(unsafe.Pointer(C.get())) }
