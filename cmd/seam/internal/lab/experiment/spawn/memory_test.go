package spawn

import (
	"path"
	"slices"
	"testing"
)

func TestField(t *testing.T) {
	const file = "Name:\tseam\nVmRSS:\t    1024 kB\nThreads:\t7\nBroken:\nHuge: 9223372036854775807 kB\nNegative: -1\nVmRSSx: 9\n"
	tests := []struct {
		key  string
		want int64
		ok   bool
	}{
		{"VmRSS", 1 << 20, true},
		{"Threads", 7, true},
		{"Name", 0, false},
		{"Broken", 0, false},
		{"Huge", 0, false},
		{"Negative", 0, false},
		{"Rss", 0, false},
		{"Missing", 0, false},
	}
	for _, tt := range tests {
		if got, ok := field([]byte(file), tt.key); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %d %v, want %d %v", tt.key, got, ok, tt.want, tt.ok)
		}
	}
}

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
		if got := stackSize(tt.all, []byte(tt.load)); got != tt.want {
			t.Errorf("%d in %q: got %d, want %d", tt.all, tt.load, got, tt.want)
		}
	}
}

func TestGroupPath(t *testing.T) {
	tests := []struct {
		file, want string
		ok         bool
	}{
		{"0::/\n", "/", true},
		{"9:name=systemd:/\n0::/user.slice/a\n", "/user.slice/a", true},
		{"0::/../outside\n", "/outside", true}, // seen from another namespace
		{"4:memory:/x\n", "", false},
		{"0::\n", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		if got, ok := groupPath([]byte(tt.file)); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %q %v, want %q %v", tt.file, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzProc(f *testing.F) {
	f.Add([]byte("VmRSS:\t    1024 kB\n"), "VmRSS", int64(1<<20))
	f.Add([]byte("1.02 0.32 0.15 6/106 13316\n"), "", int64(1692<<10))
	f.Add([]byte("1:x:/\n0::/a/../..\n"), "0:", int64(0))
	f.Fuzz(func(t *testing.T, data []byte, key string, all int64) {
		if v, ok := field(data, key); v < 0 || !ok && v != 0 {
			t.Errorf("field is %d %v", v, ok)
		}
		if size := stackSize(all, data); !slices.Contains([]int64{0, 8 << 10, 16 << 10, 32 << 10, 64 << 10}, size) {
			t.Errorf("stack of %d bytes", size)
		}
		if p, ok := groupPath(data); ok && (!path.IsAbs(p) || path.Clean(p) != p) {
			t.Errorf("group %q", p)
		}
	})
}
