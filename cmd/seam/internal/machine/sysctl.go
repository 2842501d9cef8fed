package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// A Setting is one of the kernel's that moves results or decides what works.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Means string `json:"means"`          // for Go programs that call C
	Fix   string `json:"mend,omitempty"` // "" where there is nothing to fix; the name in files is older
}

// Settings are those of this machine that can be read: none outside of Linux.
func Settings() []Setting { return settings(os.DirFS("/")) }

const usualMaps = 65530 // the kernel's own vm.max_map_count

func settings(root fs.FS) []Setting {
	var list []Setting
	number := func(file string, judge func(n int) (means, fix string)) {
		value := clean(read(root, "proc/sys/"+file))
		n, err := strconv.Atoi(value)
		if err != nil {
			return
		}
		means, fix := judge(n)
		list = append(list, Setting{strings.ReplaceAll(file, "/", "."), value, means, fix})
	}
	number("kernel/perf_event_paranoid", func(n int) (string, string) {
		if n > 2 {
			return "users may not count instructions and cache misses of their own programs", "sysctl -w kernel.perf_event_paranoid=2"
		}
		return "users may count instructions and cache misses of their own programs", ""
	})
	number("vm/max_map_count", func(n int) (string, string) {
		means := fmt.Sprintf("a guard page costs a coroutine's stack two of these, and package coro sets guards until a quarter is taken: for %d coroutines", n/8)
		if n < usualMaps {
			return means + "; the kernel's own setting is higher", fmt.Sprintf("sysctl -w vm.max_map_count=%d", usualMaps)
		}
		return means, ""
	})
	number("vm/overcommit_memory", func(n int) (string, string) {
		switch n {
		case 0:
			return "memory is taken when it is first used: C stacks cost nothing before that", ""
		case 1:
			return "memory is never refused: a program that takes too much is killed later", ""
		}
		return "memory is charged when it is reserved: stacks of coroutines and threads count in full", "sysctl -w vm.overcommit_memory=0"
	})
	if s, ok := hugePages(read(root, "sys/kernel/mm/transparent_hugepage/enabled")); ok {
		list = append(list, s)
	}
	if s, ok := mitigations(root); ok {
		list = append(list, s)
	}
	return list
}

// hugePages reads a line like "always [madvise] never".
func hugePages(line string) (Setting, bool) {
	_, value, _ := strings.Cut(line, "[")
	value, _, _ = strings.Cut(value, "]")
	s := Setting{Name: "transparent_hugepage", Value: clean(value)}
	switch s.Value {
	case "always":
		s.Means = "a page of memory that is touched may become 2 MiB: C's heaps and stacks look larger in RSS"
		s.Fix = "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled"
	case "madvise":
		s.Means = "only memory that asks for huge pages has them"
	case "never":
		s.Means = "no memory has huge pages, not even Go's heap"
	default:
		return s, false
	}
	return s, true
}

// mitigations names the flaws of the processor that the kernel works around: what that costs
// is in every system call, and so in C that blocks.
func mitigations(root fs.FS) (Setting, bool) {
	const dir = "sys/devices/system/cpu/vulnerabilities"
	files, err := fs.Glob(root, dir+"/*")
	if err != nil || len(files) == 0 {
		return Setting{}, false
	}
	var names []string
	for _, file := range files {
		if strings.HasPrefix(read(root, file), "Mitigation:") {
			names = append(names, path.Base(file))
		}
	}
	s := Setting{Name: "mitigations", Value: strings.Join(names, ", "), Means: "each makes system calls and switches slower; leaf calls have neither"}
	for _, word := range strings.Fields(read(root, "proc/cmdline")) {
		if word == "mitigations=off" {
			s.Value, s.Means = "off", "system calls are faster here than where programs usually run"
			s.Fix = "to measure what others will see, boot without mitigations=off"
		}
	}
	if s.Value == "" {
		s.Value, s.Means = "none", "no flaw of the processor is worked around: system calls are as fast as they get"
	}
	return s, true
}
