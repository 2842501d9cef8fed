package good

// #include <stdint.h>
// #include <stdlib.h>
// typedef struct stream { void (*release)(struct stream *); void *private_data; } stream;
import "C"

import "runtime/cgo"

//export seamVetCorpusRelease
func seamVetCorpusRelease(s *C.stream) {
	h := cgo.Handle(*(*C.uintptr_t)(s.private_data))
	h.Delete()
	C.free(s.private_data)
	s.release = nil
}
