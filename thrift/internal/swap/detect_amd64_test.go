//go:build gc

package swap

import "testing"

func TestGODEBUGTurnsAVX2Off(t *testing.T) {
	for value, want := range map[string]bool{
		"":                                 false,
		"cpu.avx2=off":                     true,
		"cpu.avx2=on":                      false,
		"cpu.all=off":                      true,
		"cpu.avx512f=off":                  false,
		"gctrace=1,cpu.avx2=off,madvise=1": true,
		"cpu.avx2=off,cpu.avx2=on":         false,
		"cpu.all=off,cpu.avx2=on":          false,
		"cpu.avx2=maybe":                   false,
		"cpu.avx2":                         false,
	} {
		if got := denied(value); got != want {
			t.Errorf("GODEBUG=%s: AVX2 is off: %v, want %v", value, got, want)
		}
	}
}
