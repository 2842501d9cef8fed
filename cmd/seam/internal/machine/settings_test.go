package machine

import (
	"testing"
	"testing/fstest"
)

func TestSettings(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, c := range []struct {
		name                    string
		files                   fstest.MapFS
		affinity, quota, memory string
	}{
		{"no /proc", nil, "", "", ""},
		{"no limit", fstest.MapFS{"proc/self/status": file("Name:\tx\nCpus_allowed_list:\t0-1\n")}, "0-1", "none", "none"},
		{"a container", fstest.MapFS{
			"proc/self/status": file("Cpus_allowed_list:\t0,2\n"), "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/cpu.max": file("150000 100000\n"), "sys/fs/cgroup/memory.max": file("max\n"),
		}, "0,2", "1.5", "none"},
		{"a group above has the limit", fstest.MapFS{
			"proc/self/status": file("Cpus_allowed_list:\t3\n"), "proc/self/cgroup": file("1:name=x:/y\n0::/user.slice/a.scope\n"),
			"sys/fs/cgroup/user.slice/cpu.max": file("50000 100000"), "sys/fs/cgroup/user.slice/a.scope/cpu.max": file("max 100000"),
			"sys/fs/cgroup/user.slice/a.scope/memory.max": file("1073741824\n"),
		}, "3", "0.5", "1073741824"},
		{"a path that leads out", fstest.MapFS{"proc/self/cgroup": file("0::/../../x\n")}, "", "", ""},
	} {
		var f Facts
		fromControlGroup(&f, c.files)
		if f.Affinity != c.affinity || f.Quota != c.quota || f.MemoryLimit != c.memory {
			t.Errorf("%s: %q %q %q, want %q %q %q", c.name, f.Affinity, f.Quota, f.MemoryLimit, c.affinity, c.quota, c.memory)
		}
	}
}

func TestEnvironment(t *testing.T) {
	var f Facts
	fromEnvironment(&f, func(name string) string { return map[string]string{"GODEBUG": "gctrace=1\x1b"}[name] })
	if f.GODEBUG != "gctrace=1" || f.GOGC != "unset" || f.GOMEMLIMIT != "unset" {
		t.Errorf("%+v", f)
	}
}
