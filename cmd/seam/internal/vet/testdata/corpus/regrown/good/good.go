// Package good frees what the pointer holds at the end.
package good

// #include <stdlib.h>
// static int read_event(void **buf, size_t n) {
//	void *p = realloc(*buf, n);
//	if (!p)
//		return 0;
//	*buf = p;
//	return 1;
// }
import "C"

// Read reads events.
func Read() (n int) {
	buf := C.malloc(256)
	defer func() { C.free(buf) }()
	for i := 0; i < 10; i++ {
		n += int(C.read_event(&buf, C.size_t(256<<i)))
	}
	return n
}
