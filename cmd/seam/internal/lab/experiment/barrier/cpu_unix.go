//go:build unix

package barrier

import "golang.org/x/sys/unix"

// cpuTime is the CPU time of this process in ns; below 0 where it can't be read.
func cpuTime() float64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return -1
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}
