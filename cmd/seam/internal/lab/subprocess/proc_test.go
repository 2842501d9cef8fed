package subprocess

import (
	"path"
	"testing"
)

func TestField(t *testing.T) {
	const file = "Name:\tseam\nVmRSS:\t    1024 kB\nThreads:\t7\nBroken:\nHuge: 9223372036854775807 kB\nNegative: -1\nVmRSSx: 9\nOther: 1 MB\nMany: many kB\nNegativeKB: -1 kB\nHugeKB: 99999999999999999 kB\n"
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
		{"Other", 0, false},
		{"Many", 0, false},
		{"NegativeKB", 0, false},
		{"HugeKB", 0, false},
	}
	for _, tt := range tests {
		if got, ok := field([]byte(file), tt.key); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: got %d %v, want %d %v", tt.key, got, ok, tt.want, tt.ok)
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
	f.Add([]byte("VmRSS:\t    1024 kB\n"), "VmRSS")
	f.Add([]byte("1:x:/\n0::/a/../..\n"), "0:")
	f.Fuzz(func(t *testing.T, data []byte, key string) {
		if v, ok := field(data, key); ok && v < 0 {
			t.Errorf("field is %d", v)
		}
		if p, ok := groupPath(data); ok && (!path.IsAbs(p) || path.Clean(p) != p) {
			t.Errorf("group %q", p)
		}
	})
}
