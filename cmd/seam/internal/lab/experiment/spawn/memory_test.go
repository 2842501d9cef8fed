package spawn

import (
	"slices"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func TestStackSize(t *testing.T) {
	tests := []struct {
		all  int64
		load string
		want int64
	}{
		{1692 << 10, "1.02 0.32 0.15 6/106 13316\n", 16 << 10},
		{110 * 16 << 10, "0 0 0 1/100 1", 16 << 10}, // some stacks are kept for the next thread
		{100 * 8 << 10, "0 0 0 1/100 1", 8 << 10},
		{10000 * 16 << 10, "0 0 0 1/3 1", 0}, // a container's own loadavg
		{100, "0 0 0 1/100 1", 0},
		{1 << 20, "0 0 0 1/0 1", 0},
		{1 << 20, "0 0 0 1", 0},
		{1 << 20, "0 0 0", 0},
		{1 << 20, "", 0},
	}
	for _, tt := range tests {
		if got := stackSize(tt.all, subprocess.Tasks(tt.load)); got != tt.want {
			t.Errorf("%d in %q: got %d, want %d", tt.all, tt.load, got, tt.want)
		}
	}
}

func FuzzStackSize(f *testing.F) {
	f.Add("1.02 0.32 0.15 6/106 13316\n", int64(1692<<10))
	f.Fuzz(func(t *testing.T, load string, all int64) {
		if size := stackSize(all, subprocess.Tasks(load)); !slices.Contains([]int64{0, 8 << 10, 16 << 10, 32 << 10, 64 << 10}, size) {
			t.Errorf("stack of %d bytes", size)
		}
	})
}
