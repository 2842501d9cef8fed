package good

// int lib_offset(long offset);
import "C"

// Offset isn't built for Windows.
func Offset(n int64) { C.lib_offset(C.long(n)) }
