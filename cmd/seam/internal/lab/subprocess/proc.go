package subprocess

import (
	"fmt"
	"math"
	"os"
	"path"
	"runtime/metrics"
	"strconv"
	"strings"
)

// Field is the number in the line "key: number [kB]" of a file of /proc, in bytes where the
// unit says so.
func Field(file, key string) (int64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	v, ok := field(data, key)
	if !ok {
		return 0, fmt.Errorf("%s has no %s", file, key)
	}
	return v, nil
}

func field(data []byte, key string) (int64, bool) {
	for line := range strings.Lines(string(data)) {
		rest, ok := strings.CutPrefix(line, key+":")
		if !ok {
			continue
		}
		number, unit, _ := strings.Cut(strings.TrimSpace(rest), " ")
		v, err := strconv.ParseInt(number, 10, 64)
		switch {
		case err != nil || v < 0:
			return 0, false
		case unit == "":
			return v, true
		}
		return v << 10, unit == "kB" && v <= math.MaxInt64>>10
	}
	return 0, false
}

// Resident is what this process has in RAM, in bytes. The roll-up is exact; status is an
// estimate on newer kernels, but there without CONFIG_PROC_PAGE_MONITOR.
func Resident() (int64, error) {
	if v, err := Field("/proc/self/smaps_rollup", "Rss"); err == nil {
		return v, nil
	}
	return Field("/proc/self/status", "VmRSS")
}

// Tasks is the number of threads of the system: the second half of the fourth field of
// /proc/loadavg; 0 where that is not it.
func Tasks(load string) int64 {
	words := strings.Fields(load)
	if len(words) < 4 {
		return 0
	}
	_, all, _ := strings.Cut(words[3], "/")
	n, err := strconv.ParseInt(all, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// GroupLimit is what our control group (version 2), or one above it, may have and has, by the
// names of the files that tell: of that which leaves the least.
func GroupLimit(limit, current string) (most, used int64, ok bool) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, 0, false
	}
	dir, found := groupPath(data)
	for found {
		m, ok1 := number("/sys/fs/cgroup" + path.Join(dir, limit))
		u, ok2 := number("/sys/fs/cgroup" + path.Join(dir, current))
		if ok1 && ok2 && (!ok || m-u < most-used) {
			most, used, ok = m, u, true
		}
		found = dir != "/"
		dir = path.Dir(dir)
	}
	return most, used, ok
}

// groupPath finds our group in /proc/self/cgroup: the line of hierarchy 0.
func groupPath(data []byte) (string, bool) {
	for line := range strings.Lines(string(data)) {
		if p, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok && strings.HasPrefix(p, "/") {
			return path.Clean(p), true
		}
	}
	return "", false
}

// number reads a file that holds one number; "max" is none.
func number(file string) (int64, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return v, err == nil
}

// StartingStack is how large a new goroutine's stack is now; 0 where the Go release does not
// tell. It follows the stacks that the collector saw, unless GODEBUG=adaptivestackstart=0.
func StartingStack() uint64 {
	n, _ := counter("/gc/stack/starting-size:bytes")
	return n
}

// NotInGo is how many goroutines are in C or in a system call now. ok is false
// where the Go release does not tell.
func NotInGo() (n int, ok bool) {
	v, ok := counter("/sched/goroutines/not-in-go:goroutines")
	return int(v), ok
}

// counter is one of the runtime's.
func counter(name string) (uint64, bool) {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0, false
	}
	return s[0].Value.Uint64(), true
}
