package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// cores is the number of processors that this process may run on.
func cores() int {
	var set unix.CPUSet
	// A set has room for 1024 processors; larger machines refuse it.
	if err := unix.SchedGetaffinity(0, &set); err == nil && set.Count() > 0 {
		return set.Count()
	}
	return runtime.NumCPU()
}

func probe() []Limit {
	limits := affinity()
	count, err := countInstructions()
	paranoid := clean(read(os.DirFS("/"), "proc/sys/kernel/perf_event_paranoid"))
	return append(limits, counters(count, err, paranoid)...)
}

// affinity sets this thread's affinity to what it already is.
func affinity() []Limit {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set unix.CPUSet
	err := unix.SchedGetaffinity(0, &set)
	if err == nil {
		err = unix.SchedSetaffinity(0, &set)
	}
	if err == nil {
		return nil
	}
	return []Limit{{
		What: "threads pinned to a core",
		Why:  "sched_setaffinity: " + errnoName(err),
		Fix:  "allow the system call in the sandbox's filter",
	}}
}

// countInstructions opens a counter of user-space instructions for this thread,
// and reads it after some work.
func countInstructions() (count uint64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_HARDWARE,
		Config: unix.PERF_COUNT_HW_INSTRUCTIONS,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Bits:   unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	var buf [8]byte
	// The calls themselves are instructions enough.
	for range 100 {
		if _, err := unix.Read(fd, buf[:]); err != nil {
			return 0, err
		}
	}
	return binary.NativeEndian.Uint64(buf[:]), nil
}

// counters explains what opening a counter gave. paranoid is the text of
// perf_event_paranoid, or "".
func counters(count uint64, err error, paranoid string) []Limit {
	if err == nil && count > 0 {
		return nil
	}
	l := Limit{What: "hardware counters (instructions, cache misses)"}
	if err == nil {
		l.Why = "perf_event_open returns a counter that stays at 0"
		l.Fix = "use a machine whose hypervisor passes the counters through"
		return []Limit{l}
	}
	l.Why = "perf_event_open: " + errnoName(err)
	if paranoid != "" {
		l.Why += ", perf_event_paranoid is " + paranoid
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.EOPNOTSUPP):
		l.Fix = "use a machine whose hypervisor passes the counters through, or bare metal"
	case errors.Is(err, unix.ENOSYS):
		l.Fix = "use a kernel with perf events, outside of a sandbox that hides them"
	case (errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)) && restrictive(paranoid):
		l.Fix = "as root: sysctl kernel.perf_event_paranoid=2"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		l.Fix = "give the container CAP_PERFMON, or allow perf_event_open in its filter"
	}
	return []Limit{l}
}

// restrictive reports whether the level keeps users from counting their own
// instructions: 2 is the kernel's own default and lets them; distributions have
// 3 and 4, which don't.
func restrictive(paranoid string) bool {
	return len(paranoid) == 1 && strings.Contains("3456789", paranoid)
}

// errnoName gives both the name to search for and what it means.
func errnoName(err error) string {
	var errno unix.Errno
	if errors.As(err, &errno) {
		if name := unix.ErrnoName(errno); name != "" {
			return fmt.Sprintf("%s (%v)", name, err)
		}
	}
	return err.Error()
}
