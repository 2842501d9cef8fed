//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

import "unsafe"

// seamFixed is struct _seam_fixed of seam_weld_view.h: where strings of C's can neither change nor
// go away. C has written it before Go began.
type seamFixed struct {
	n  uintptr
	at [64]struct{ begin, size uintptr }
}

// SeamView is the C string at p without a copy, as C.GoString would return it; not ok if its memory may
// change or go away, or if it doesn't end there.
//
//go:norace
//go:nocheckptr
func SeamView(fixed, p unsafe.Pointer) (s string, ok bool) {
	f := (*seamFixed)(fixed)
	for i := uintptr(0); i < f.n && i < uintptr(len(f.at)); i++ {
		at := uintptr(p) - f.at[i].begin
		if at >= f.at[i].size {
			continue
		}
		n, ok := seamLength(p, f.at[i].size-at)
		if !ok {
			return "", false
		}
		if n == 0 {
			return "", true
		}
		return unsafe.String((*byte)(p), n), true
	}
	return "", false
}

// seamLength is how far the first 0 byte is, of the size bytes at p.
//
//go:norace
//go:nocheckptr
func seamLength(p unsafe.Pointer, size uintptr) (n uintptr, ok bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; size-n >= 8; n += 8 {
		w := *(*uint64)(unsafe.Add(p, n))
		if zero := (w - ones) &^ w & highs; zero != 0 {
			// The lowest bit is that of the first 0 byte: both systems are little-endian. Ones
			// are counted for it and for the bytes below.
			below := (zero & -zero) - 1
			return n + uintptr((below&ones)*ones>>56) - 1, true
		}
	}
	for ; n < size; n++ {
		if *(*byte)(unsafe.Add(p, n)) == 0 {
			return n, true
		}
	}
	return 0, false
}
