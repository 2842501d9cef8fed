package cxx

import "C"

//export seamVetShopRow
func seamVetShopRow(C.int) {}
