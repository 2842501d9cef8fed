// Package bad copies for nothing.
package bad

// #include <stdlib.h>
// #include <string.h>
// static const char *name(int n) { return "name"; }
// static void *row(int n) { return "row"; }
// static int hash(const char *s, size_t n) { int h = 0; size_t i; for (i = 0; i < n; i++) h = 31 * h + s[i]; return h; }
// static int equal(const void *a, const void *b, int n) { return memcmp(a, b, n) == 0; }
import "C"

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strconv"
	"unsafe"
)

func find(n int) (sum int) {
	for i := range n {
		if C.GoString(C.name(C.int(i))) == "x" { // want note "only compared"
			return i
		}
		k, _ := strconv.Atoi(C.GoString(C.name(0))) // want note "only parsed"
		sum += k + len(C.GoString(C.name(1)))       // want note "only measured"
	}
	return sum
}

func named(n int) (sum int) {
	for range n {
		s := C.GoString(C.name(0)) // want note "only compared"
		if s == "x" || s == "y" {
			sum++
		}
	}
	return sum
}

func rows(n int, out []byte) (sum int) {
	for i := range n {
		b := C.GoBytes(C.row(C.int(i)), 8) // want note "C.GoBytes copies in every round of a loop what is only parsed"
		if b[0] == 'x' {
			continue
		}
		sum += int(binary.LittleEndian.Uint32(b[4:]))
		if bytes.IndexByte(C.GoBytes(C.row(1), 3), 'w') > 0 { // want note "only searched"
			sum++
		}
		sum += int(crc32.ChecksumIEEE(C.GoBytes(C.row(2), 3))) // want note "only summed up"
		for _, c := range C.GoBytes(C.row(3), 3) {             // want note "only looked at"
			sum += int(c)
		}
		copy(out, C.GoBytes(C.row(4), 3))            // want note "only copied again"
		sum += len(string(C.GoBytes(C.row(5), 3)))   // want note "only copied again"
		out = append(out, C.GoBytes(C.row(6), 3)...) // want note "only copied again"
		sum += int(C.GoStringN(C.name(0), 2)[1])     // want note "C.GoStringN copies in every round of a loop what is only looked at"
	}
	return sum
}

func forC(list []string, all [][]byte) (sum int) {
	for _, s := range list {
		cs := C.CString(s) // want note "C.CString copies in every round of a loop what C.hash only reads, for as long as it is told: unsafe.StringData(s) does"
		sum += int(C.hash(cs, C.size_t(len(s))))
		C.free(unsafe.Pointer(cs))
	}
	for _, b := range all {
		func() {
			for range 2 {
				p := C.CBytes(b) // want note "C.CBytes copies in every round of a loop what C.equal only reads, for as long as it is told: unsafe.SliceData(b) does"
				sum += int(C.equal(p, p, C.int(len(b))))
				C.free(p)
			}
		}()
	}
	return sum
}
