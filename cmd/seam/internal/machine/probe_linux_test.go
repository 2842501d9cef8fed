package machine

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCounters(t *testing.T) {
	for _, c := range []struct {
		name     string
		count    uint64
		err      error
		paranoid string
		why, fix string // parts; both empty: no limit
	}{
		{"counts", 1234, nil, "2", "", ""},
		{"stays at 0", 0, nil, "2", "stays at 0", "hypervisor"},
		{"no counters", 0, unix.ENOENT, "2", "ENOENT (no such file or directory), perf_event_paranoid is 2", "bare metal"},
		{"not allowed by the level", 0, unix.EACCES, "3", "EACCES (permission denied), perf_event_paranoid is 3", "sysctl kernel.perf_event_paranoid=2"},
		{"not allowed by a filter", 0, unix.EPERM, "2", "EPERM", "CAP_PERFMON"},
		{"not allowed, level unknown", 0, unix.EACCES, "", "EACCES", "CAP_PERFMON"},
		{"no such call", 0, unix.ENOSYS, "", "ENOSYS", "sandbox"},
		{"something else", 0, unix.EBUSY, "x", "EBUSY", ""},
	} {
		got := counters(c.count, c.err, c.paranoid)
		if c.why == "" {
			if got != nil {
				t.Errorf("%s: %v, want no limit", c.name, got)
			}
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0].Why, c.why) || !strings.Contains(got[0].Fix, c.fix) {
			t.Errorf("%s: %+v, want %q and %q", c.name, got, c.why, c.fix)
		}
	}
}
