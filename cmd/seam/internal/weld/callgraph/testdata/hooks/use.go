package hooked

// #include "hooked.h"
// extern void goChanged(void *, int);
import "C"

// Use calls all of it.
func Use() {
	d := C.open_db()
	C.on_change(d, (*[0]byte)(C.goChanged), nil)
	C.compare_by_go(d)
	C.insert(d, 1)
	C.drop_arg(d)
	C.less(d, nil, nil)
	C.entry(1, 2)
	C.plain(3)
	C.choice(4)
	C.deep(d)
}
