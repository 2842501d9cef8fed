package machine

import (
	"cmp"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// unset is what a variable of Go's run-time is that nobody has set. It is a value like
// others: empty is what is not known.
const unset = "unset"

// fromEnvironment reads the variables by which Go's run-time is set.
func fromEnvironment(f *Facts, getenv func(string) string) {
	f.GODEBUG = cmp.Or(clean(getenv("GODEBUG")), unset)
	f.GOGC = cmp.Or(clean(getenv("GOGC")), unset)
	f.GOMEMLIMIT = cmp.Or(clean(getenv("GOMEMLIMIT")), unset)
}

// fromControlGroup reads what the process is held to by affinity and control group.
func fromControlGroup(f *Facts, root fs.FS) {
	f.Affinity = statusField(read(root, "proc/self/status"), "Cpus_allowed_list")
	own := ownGroup(read(root, "proc/self/cgroup"))
	if quota := least(root, own, "cpu.max", parseQuota); quota > 0 {
		f.Quota = strconv.FormatFloat(quota, 'g', 4, 64)
	} else if f.Affinity != "" {
		f.Quota = "none"
	}
	if limit := least(root, own, "memory.max", parseLimit); limit > 0 {
		f.MemoryLimit = strconv.FormatFloat(limit, 'f', 0, 64)
	} else if f.Affinity != "" {
		f.MemoryLimit = "none"
	}
}

// statusField is a line of /proc/self/status.
func statusField(status, name string) string {
	for line := range strings.Lines(status) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return clean(value)
		}
	}
	return ""
}

// ownGroup is the path of the process's group in version 2 of control groups, "." where
// there is none: in a container its own is the root.
func ownGroup(cgroup string) string {
	for line := range strings.Lines(cgroup) {
		if p, found := strings.CutPrefix(line, "0::/"); found {
			if p = path.Clean(strings.TrimSpace(p)); fs.ValidPath(p) {
				return p
			}
		}
	}
	return "."
}

// least is the lowest limit of a group and those above it; 0 if none has one.
func least(root fs.FS, group, file string, parse func(string) float64) float64 {
	lowest := 0.0
	for p := group; ; p = path.Dir(p) {
		if v := parse(read(root, path.Join("sys/fs/cgroup", p, file))); v > 0 && (lowest == 0 || v < lowest) {
			lowest = v
		}
		if p == "." {
			return lowest
		}
	}
}

// parseLimit reads memory.max: "max" is no limit.
func parseLimit(text string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(v > 0 && v < 1e18) {
		return 0
	}
	return v
}
