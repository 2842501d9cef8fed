package subprocess

import (
	"os"
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"
)

// kernelStack is the size of a thread's stack in the kernel, the same on amd64
// and arm64.
const kernelStack = 16 << 10

// A Usage is what this process has taken since it started.
type Usage struct {
	CPU       time.Duration // in user code and in the kernel
	Switches  int64         // context switches of all its threads, waits and preemptions
	MutexWait time.Duration // goroutines' waits for locks of Go
	Idle      float64       // seconds that Ps were without work; as of the last collection
	Available float64       // seconds of all Ps; as of the last collection
}

// ReadUsage reads the counters.
func ReadUsage() (Usage, error) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return Usage{}, os.NewSyscallError("getrusage", err)
	}
	s := []metrics.Sample{
		{Name: "/sync/mutex/wait/total:seconds"},
		{Name: "/cpu/classes/idle:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
	}
	metrics.Read(s)
	return Usage{
		CPU:       time.Duration(ru.Utime.Nano() + ru.Stime.Nano()),
		Switches:  int64(ru.Nvcsw) + int64(ru.Nivcsw),
		MutexWait: time.Duration(s[0].Value.Float64() * float64(time.Second)),
		Idle:      s[1].Value.Float64(),
		Available: s[2].Value.Float64(),
	}, nil
}

// Since is what was taken after before.
func (u Usage) Since(before Usage) Usage {
	return Usage{
		CPU:       u.CPU - before.CPU,
		Switches:  u.Switches - before.Switches,
		MutexWait: u.MutexWait - before.MutexWait,
		Idle:      u.Idle - before.Idle,
		Available: u.Available - before.Available,
	}
}

// Threads is how many threads this process has.
func Threads() (int, error) {
	n, err := Field("/proc/self/status", "Threads")
	return int(n), err
}

// Memory is what this process has in RAM: its resident pages, its page tables
// and its threads' stacks in the kernel, in bytes.
func Memory() (int64, error) {
	resident, err := Resident()
	if err != nil {
		return 0, err
	}
	tables, err := Field("/proc/self/status", "VmPTE")
	if err != nil {
		return 0, err
	}
	threads, err := Threads()
	if err != nil {
		return 0, err
	}
	return resident + tables + int64(threads)*kernelStack, nil
}
