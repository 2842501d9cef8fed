package limits

import (
	"os"
	"path"
	"strconv"
	"strings"
)

// availableMemory is the memory that can be had, in bytes; 0 if the system doesn't tell.
func availableMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	least := parseAvailable(string(text))
	group, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return least
	}
	for _, g := range groups(string(group)) {
		if n := g.available(); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// parseAvailable reads MemAvailable of /proc/meminfo.
func parseAvailable(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		words := strings.Fields(line)
		if len(words) == 3 && words[0] == "MemAvailable:" && words[2] == "kB" {
			n, err := strconv.ParseInt(words[1], 10, 64)
			if err != nil || n < 0 || n > 1<<50 {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// A group is a control group that this process is in, by the names of its files.
type group struct{ limit, used, stat, cache string }

// groups are the control groups of both versions. In a container the process's own is
// often the root of what is mounted.
func groups(cgroup string) (list []group) {
	const root = "/sys/fs/cgroup"
	for line := range strings.Lines(cgroup) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, name := range []string{parts[2], "/"} {
			switch parts[1] {
			case "":
				dir := path.Join(root, name)
				list = append(list, group{dir + "/memory.max", dir + "/memory.current", dir + "/memory.stat", "inactive_file"})
			case "memory":
				dir := path.Join(root, "memory", name)
				list = append(list, group{dir + "/memory.limit_in_bytes", dir + "/memory.usage_in_bytes", dir + "/memory.stat", "total_inactive_file"})
			}
		}
	}
	return list
}

// available is what the group leaves; 0 if it doesn't tell or has no limit.
func (g group) available() int64 {
	var text [3]string
	for i, name := range []string{g.limit, g.used, g.stat} {
		b, err := os.ReadFile(name)
		if err != nil {
			return 0
		}
		text[i] = string(b)
	}
	return parseGroup(text[0], text[1], text[2], g.cache)
}

// parseGroup is available for the files' texts. Files that the kernel keeps in memory
// and hasn't needed of late count as used, and can go. Where nothing is left it is 1.
func parseGroup(limit, used, stat, cache string) int64 {
	most, err := strconv.ParseInt(strings.TrimSpace(limit), 10, 64)
	now, err2 := strconv.ParseInt(strings.TrimSpace(used), 10, 64)
	if err != nil || err2 != nil || most < 0 || now < 0 || most >= 1<<50 {
		return 0
	}
	for line := range strings.Lines(stat) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == cache {
			if n, err := strconv.ParseInt(words[1], 10, 64); err == nil && 0 <= n && n <= now {
				now -= n
			}
		}
	}
	return max(1, most-now)
}
