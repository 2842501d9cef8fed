package bad

import "C"

//export goRow
func goRow(i C.int) C.int { return i }
