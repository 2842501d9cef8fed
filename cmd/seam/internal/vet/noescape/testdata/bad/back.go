package bad

import "C"

//export goBack
func goBack(p *C.int) { *p = 1 }
