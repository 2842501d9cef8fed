package machine

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestSysctl(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	const flaws = "sys/devices/system/cpu/vulnerabilities/"
	strict := settings(fstest.MapFS{
		"proc/sys/kernel/perf_event_paranoid":        file("4\n"),
		"proc/sys/vm/max_map_count":                  file("1000\n"),
		"proc/sys/vm/overcommit_memory":              file("2\n"),
		"sys/kernel/mm/transparent_hugepage/enabled": file("[always] madvise never\n"),
		flaws + "meltdown":                           file("Mitigation: PTI\n"),
		flaws + "mds":                                file("Not affected\n"),
		"proc/cmdline":                               file("quiet mitigations=off\n"),
	})
	if len(strict) != 5 {
		t.Fatalf("%d settings: %+v", len(strict), strict)
	}
	for _, s := range strict {
		if s.Fix == "" || s.Means == "" {
			t.Errorf("nothing to fix in %+v", s)
		}
	}
	usual := settings(fstest.MapFS{
		"proc/sys/kernel/perf_event_paranoid":        file("-1\n"),
		"proc/sys/vm/max_map_count":                  file("1048576\n"),
		"proc/sys/vm/overcommit_memory":              file("0\n"),
		"sys/kernel/mm/transparent_hugepage/enabled": file("always [madvise] never\n"),
		flaws + "meltdown":                           file("Mitigation: PTI\n"),
		flaws + "mds":                                file("Not affected\n"),
	})
	if len(usual) != 5 || usual[4].Value != "meltdown" || !strings.Contains(usual[1].Means, "131072 coroutines") {
		t.Errorf("%+v", usual)
	}
	for _, s := range usual {
		if s.Fix != "" {
			t.Errorf("something to fix in %+v", s)
		}
	}
	odd := fstest.MapFS{"proc/sys/vm/max_map_count": file("many"), "sys/kernel/mm/transparent_hugepage/enabled": file("yes")}
	if s := append(settings(fstest.MapFS{}), settings(odd)...); len(s) > 0 {
		t.Errorf("of files that aren't there or are odd: %+v", s)
	}
}
