package subprocess

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// ownFiles is how many descriptors a process of the lab has besides those that
// an experiment opens.
const ownFiles = 100

// NeedFiles returns a reason to skip where a process can't have n descriptors.
// The Go runtime has raised the soft limit to the hard one already.
func NeedFiles(n int) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return lab.Skip("can't read the limit of descriptors: %v", err)
	}
	if uint64(n)+ownFiles > limit.Cur {
		return lab.Skip("needs %d descriptors in a process, the limit is %d: raise it (ulimit -Hn)", uint64(n)+ownFiles, limit.Cur)
	}
	return nil
}

// NeedThreads returns a reason to skip where there can't be n threads more.
func NeedThreads(n int) error {
	running := int64(0)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		running = Tasks(string(load))
	}
	for _, l := range []struct {
		file, remedy string
	}{
		{"/proc/sys/kernel/threads-max", "raise kernel.threads-max"},
		{"/proc/sys/kernel/pid_max", "raise kernel.pid_max"},
	} {
		if most, ok := number(l.file); ok && running+int64(n) > most {
			return lab.Skip("needs %d threads, %s allows %d and %d run: %s", n, l.file, most, running, l.remedy)
		}
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &limit); err == nil && os.Geteuid() != 0 && uint64(n) > limit.Cur {
		return lab.Skip("needs %d threads, the user may have %d: raise it (ulimit -u)", n, limit.Cur)
	}
	if most, used, ok := GroupLimit("pids.max", "pids.current"); ok && used+int64(n) > most {
		return lab.Skip("needs %d threads, the control group may have %d and has %d: raise its pids.max", n, most, used)
	}
	// A thread's stack and its guard page are two mappings.
	if most, ok := number("/proc/sys/vm/max_map_count"); ok && 2*int64(n) > most {
		return lab.Skip("needs %d mappings for the stacks of %d threads, the limit is %d: raise vm.max_map_count", 2*int64(n), n, most)
	}
	return nil
}
