//go:build gc

package swap

import (
	"os"
	"strings"
)

const (
	instructions = "avx2"
	least        = 32 // bytes that a kernel needs
)

// supported says whether the processor has AVX2, the system keeps its registers
// for each thread, and GODEBUG doesn't deny it.
func supported() bool {
	const (
		osxsave = 1 << 27 // leaf 1, ECX: XGETBV may be asked
		avx     = 1 << 28 // leaf 1, ECX
		state   = 6       // XCR0: XMM and YMM registers
		avx2    = 1 << 5  // leaf 7, EBX
	)
	if last, _, _, _ := cpuid(0, 0); last < 7 {
		return false
	}
	if _, _, c, _ := cpuid(1, 0); c&osxsave == 0 || c&avx == 0 {
		return false
	}
	if xgetbv()&state != state {
		return false
	}
	if _, b, _, _ := cpuid(7, 0); b&avx2 == 0 {
		return false
	}
	return !denied(os.Getenv("GODEBUG"))
}

// denied says whether the value of GODEBUG turns AVX2 off. As in the runtime,
// the last setting counts.
func denied(godebug string) bool {
	off := false
	for setting := range strings.SplitSeq(godebug, ",") {
		switch key, value, _ := strings.Cut(setting, "="); key {
		case "cpu.avx2", "cpu.all":
			if value == "off" || value == "on" {
				off = value == "off"
			}
		}
	}
	return off
}
