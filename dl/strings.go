package dl

import (
	"fmt"
	"strings"
	"unsafe"
)

// CString returns a copy of s as C has strings, with a zero byte at the end, in Go memory: C must not keep
// it beyond the call. It panics if s has a zero byte, which would end it for C.
func CString(s string) *byte {
	if i := strings.IndexByte(s, 0); i >= 0 {
		panic(fmt.Sprintf("dl: CString: the string has a zero byte at %d of %d", i, len(s)))
	}
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// GoString returns a copy of the string that p points to, up to its zero byte; of nil it is "".
func GoString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
