package closed

// #include "closed.h"
// static int in_preamble(const int *p) { return *p; }
import "C"

// Use calls all of it.
func Use() {
	var n C.int
	C.in_preamble(&n)
	C.sums(&n, 1)
	C.copies(&n)
	C.locks(&n)
	C.asserts(&n)
	C.recurses(&n)
	C.by_name(&n)
	C.by_other_file(&n)
	C.by_pointer(&n)
	C.by_table(&n)
	C.by_weak(&n)
	C.by_weak_default(&n)
	C.by_weak_alias(&n)
	C.by_dlsym(&n)
	C.by_constructor(&n)
	C.by_exit(&n)
	C.by_sort(&n)
	C.by_assembly(&n)
	C.by_ifunc(&n)
	C.by_jump(&n)
	C.by_once(&n)
	C.by_unknown(&n)
	C.by_assertion(&n)
	C.by_doomed_pointer(&n)
	C.by_stream(&n)
	C.by_signal(&n)
}
