package spawn

import (
	"fmt"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// field returns the number of the line "key: number [kB]" in a file of /proc,
// in bytes where the unit says so.
func field(data []byte, key string) (int64, bool) {
	for line := range strings.Lines(string(data)) {
		rest, ok := strings.CutPrefix(line, key+":")
		if !ok {
			continue
		}
		words := strings.Fields(rest)
		if len(words) == 0 {
			return 0, false
		}
		v, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil || v < 0 {
			return 0, false
		}
		if len(words) > 1 && words[1] == "kB" {
			if v > math.MaxInt64>>10 {
				return 0, false
			}
			v <<= 10
		}
		return v, true
	}
	return 0, false
}

// readField is field of a file.
func readField(file, key string) (int64, error) {
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

// resident is this program's memory in RAM. The roll-up is exact; status is
// an estimate on newer kernels, but there without CONFIG_PROC_PAGE_MONITOR.
func resident() (int64, error) {
	if v, err := readField("/proc/self/smaps_rollup", "Rss"); err == nil {
		return v, nil
	}
	return readField("/proc/self/status", "VmRSS")
}

// kernelStack is the size of a thread's stack in the kernel: all stacks over
// all threads of the system. It is 0 where that gives no plausible size, as in
// a container that shows its own threads and the whole system's memory.
func kernelStack() int64 {
	all, err := readField("/proc/meminfo", "KernelStack")
	if err != nil {
		return 0
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	return stackSize(all, load)
}

// stackSize divides by the number of threads in loadavg, its fourth field's
// second half, and rounds to the power of two that a stack has.
func stackSize(all int64, loadavg []byte) int64 {
	words := strings.Fields(string(loadavg))
	if len(words) < 4 {
		return 0
	}
	_, total, _ := strings.Cut(words[3], "/")
	threads, err := strconv.ParseInt(total, 10, 64)
	if err != nil || threads <= 0 {
		return 0
	}
	each := float64(all) / float64(threads)
	for size := int64(8 << 10); size <= 64<<10; size *= 2 {
		if each > 0.75*float64(size) && each < 1.5*float64(size) {
			return size
		}
	}
	return 0
}

// needMemory returns an error unless that many bytes are free for n units.
// Where the system does not say what is free, it lets the measurement try.
func needMemory(need int64, n int, units string) error {
	if free, ok := available(); ok && free < need {
		return lab.Skip("%d %s need about %d MB of free memory, %d MB are available", n, units, need>>20, free>>20)
	}
	return nil
}

// available is the least of what the system, the control group and the Go
// runtime's own limit leave.
func available() (int64, bool) {
	free, known := int64(math.MaxInt64), false
	if v, err := readField("/proc/meminfo", "MemAvailable"); err == nil {
		free, known = v, true
	}
	if v, ok := groupLeaves(); ok {
		free, known = min(free, v), true
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		free, known = min(free, limit-account()), true
	}
	return free, known
}

// groupLeaves is what the limits of our control group (version 2) and of those
// above it leave.
func groupLeaves() (int64, bool) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	dir, ok := groupPath(data)
	if !ok {
		return 0, false
	}
	least, known := int64(math.MaxInt64), false
	for {
		most, ok := number("/sys/fs/cgroup" + path.Join(dir, "memory.max"))
		used, ok2 := number("/sys/fs/cgroup" + path.Join(dir, "memory.current"))
		if ok && ok2 {
			least, known = min(least, most-used), true
		}
		if dir == "/" {
			return least, known
		}
		dir = path.Dir(dir)
	}
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
