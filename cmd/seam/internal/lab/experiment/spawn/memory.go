package spawn

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// kernelStack is the size of a thread's stack in the kernel: all stacks over
// all threads of the system. It is 0 where that gives no plausible size, as in
// a container that shows its own threads and the whole system's memory.
func kernelStack() int64 {
	all, err := subprocess.Field("/proc/meminfo", "KernelStack")
	if err != nil {
		return 0
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	return stackSize(all, subprocess.Tasks(string(load)))
}

// stackSize rounds all over threads to the power of two that a stack has.
func stackSize(all, threads int64) int64 {
	if threads <= 0 {
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
	if v, err := subprocess.Field("/proc/meminfo", "MemAvailable"); err == nil {
		free, known = v, true
	}
	if most, used, ok := subprocess.GroupLimit("memory.max", "memory.current"); ok {
		free, known = min(free, most-used), true
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		free, known = min(free, limit-account()), true
	}
	return free, known
}
