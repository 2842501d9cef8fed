package good

import "C"

//export goRows
func goRows(i C.int) C.int { return i }
