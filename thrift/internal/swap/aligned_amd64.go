//go:build gc

package swap

import "unsafe"

// worthAligning is the size from which it pays to store to aligned addresses:
// what is larger is not in the first cache, and a store that touches two lines
// takes twice as long there. On the wire words begin anywhere.
const worthAligning = 2048

// aligned64 is reverse64 with stores to aligned addresses.
func aligned64(dst, src *byte, n int) {
	head := int(-uintptr(unsafe.Pointer(dst)) % vector) // up to the first aligned address
	if n < worthAligning || head == 0 || dst == src {
		reverse64(dst, src, n)
		return
	}
	reverse64(dst, src, vector)
	if head%8 == 0 {
		reverse64(after(dst, head), after(src, head), n-head)
		return
	}
	// A vector less than there is room for, because one more is read. The
	// last three are written again: what is left is less than two.
	shifted64(after(dst, head), after(src, head&^7), (n-head)/vector-1, &shifts[head%8])
	reverse64(after(dst, n-3*vector), after(src, n-3*vector), 3*vector)
}

const vector = 32

func after(p *byte, n int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(p), n)) }

// shifts are the masks of shifted64 for vectors that begin so many bytes
// inside of a word. A byte with its high bit set makes VPSHUFB give zero.
var shifts = func() (all [8][64]byte) {
	for shift := range all {
		for q := range vector {
			p := shift + q%16 // VPSHUFB works within 16 bytes
			from := p&^7 + 7 - p%8
			all[shift][q], all[shift][vector+q] = 0x80, 0x80
			if from < 16 {
				all[shift][q] = byte(from)
			} else {
				all[shift][vector+q] = byte(from - 16)
			}
		}
	}
	return all
}()
