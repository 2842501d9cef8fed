package bad

/*
#include <stdlib.h>
typedef struct lib_io lib_io;
lib_io *lib_io_new(unsigned char *buffer, size_t n);
void lib_io_name(lib_io *io, char *name);
*/
import "C"

// io has memory that C of which nothing is known may have taken over.
type io struct {
	c      *C.lib_io
	buffer *C.uchar
	name   *C.char
}

func newIO(n int, name string) *io {
	f := &io{}
	f.buffer = (*C.uchar)(C.malloc(C.size_t(n))) // want note "unless C.lib_io_new takes it over"
	f.c = C.lib_io_new(f.buffer, C.size_t(n))
	f.name = C.CString(name) // want warning "unless C.lib_io_name takes it over"
	C.lib_io_name(f.c, f.name)
	return f
}
