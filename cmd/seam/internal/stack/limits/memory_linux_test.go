package limits

import "testing"

func TestMemoryFiles(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal: 100 kB\nMemAvailable:   50 kB\n": 50 << 10,
		"MemTotal: 100 kB\n":                        0,
		"MemAvailable: 50 MB\n":                     0,
		"MemAvailable: -1 kB\n":                     0,
		"MemAvailable: 99999999999999999999 kB\n":   0,
		"": 0,
	} {
		if got := parseAvailable(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for _, tt := range []struct {
		limit, used, stat string
		want              int64
	}{
		{"1000\n", "600\n", "", 400},
		{"1000\n", "600\n", "anon 1\ninactive_file 500\n", 900},
		{"1000\n", "600\n", "inactive_file 700\n", 400}, // read at another moment
		{"1000\n", "1000\n", "", 1},
		{"max\n", "600\n", "", 0},
		{"9223372036854771712\n", "600\n", "", 0}, // no limit, by version 1
		{"", "600\n", "", 0},
	} {
		if got := parseGroup(tt.limit, tt.used, tt.stat, "inactive_file"); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
	if got := groups("9:memory:/box\n8:pids:/\n0::/user\nnonsense\n"); len(got) != 4 ||
		got[0].limit != "/sys/fs/cgroup/memory/box/memory.limit_in_bytes" || got[2].limit != "/sys/fs/cgroup/user/memory.max" {
		t.Errorf("%+v", got)
	}
	if availableMemory() < 0 {
		t.Error("less than nothing")
	}
}
