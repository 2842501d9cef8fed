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
		{0, 1000, 64*kb + 64_000},
		{0, 256 * kb, 64*kb + 16*mb},
		{0, 100 * mb, 64*kb + 16*mb + 4*(100*mb-256*kb)},
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
