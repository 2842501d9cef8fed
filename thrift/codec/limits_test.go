package codec

import (
	"math"
	"testing"
)

// By default small messages may take much for their size, and large ones don't become
// gigabytes.
func TestMemoryOfAMessage(t *testing.T) {
	const kb, mb = 1 << 10, 1 << 20
	for _, x := range []struct {
		amplify, size int
		want          int64
	}{
		{0, 0, 64 * kb},
		{0, 1000, 64*kb + 4_000},
		{0, 100 * mb, 64*kb + 400*mb},
		{1, 100 * mb, 64*kb + 100*mb},
		{64, 100 * mb, 64*kb + 6400*mb},
		{-1, 100 * mb, 64 * kb},
		{math.MaxInt, math.MaxInt, 64*kb + math.MaxInt64/4},
	} {
		l := Limits{Amplify: x.amplify}.WithDefaults()
		if got := l.memory(x.size); got != x.want {
			t.Errorf("Amplify %d: %d bytes may take %d, want %d", x.amplify, x.size, got, x.want)
		}
	}
}

// What a type proves counts up to 64 for the first 256 KB, and up to 16 beyond.
func TestAmplified(t *testing.T) {
	const kb, mb = 1 << 10, 1 << 20
	for _, x := range []struct {
		factor, size int
		want         int64
	}{
		{4, 1000, 64*kb + 4_000},
		{7, mb, 64*kb + 7*mb},
		{40, 1000, 64*kb + 40_000},
		{500, 256 * kb, 64*kb + 16*mb},
		{500, 100 * mb, 64*kb + 16*mb + 16*(100*mb-256*kb)},
	} {
		if got := amplified(x.factor, x.size); got != x.want {
			t.Errorf("factor %d: %d bytes may take %d, want %d", x.factor, x.size, got, x.want)
		}
	}
}
