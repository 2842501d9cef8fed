package subprocess

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// TwoCPUs chooses CPUs for two threads: of two cores where there are two, since the
// threads of one core share their L1 cache.
func TwoCPUs() (first, second int, err error) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return 0, 0, lab.Skip("can't ask which CPUs there are: %v", err)
	}
	first, second = -1, -1
	var siblings map[int]bool
	for cpu := 0; cpu < 64*len(allowed); cpu++ {
		switch {
		case !allowed.IsSet(cpu):
		case first < 0:
			first = cpu
			text, _ := os.ReadFile("/sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) + "/topology/thread_siblings_list")
			siblings = cpuList(string(text))
		case !siblings[cpu]:
			return first, cpu, nil
		case second < 0:
			second = cpu
		}
	}
	if second < 0 {
		return 0, 0, lab.Skip("two threads at the same time need two CPUs, and there is one")
	}
	return first, second, nil
}

// cpuList reads the kernel's lists of CPUs: "0-1,4".
func cpuList(text string) map[int]bool {
	list := map[int]bool{}
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		from, to, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		b := a
		if ranged && err == nil {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < 0 || b-a > 1<<16 {
			continue
		}
		for ; a <= b; a++ {
			list[a] = true
		}
	}
	return list
}

// Pin keeps this goroutine on its thread and the thread on a CPU until undo. Without it
// the kernel may run two threads one after the other on one CPU of a busy machine.
func Pin(cpu int) (undo func()) {
	runtime.LockOSThread()
	var before, one unix.CPUSet
	one.Set(cpu)
	if unix.SchedGetaffinity(0, &before) != nil || unix.SchedSetaffinity(0, &one) != nil {
		return runtime.UnlockOSThread // forbidden here: then as the kernel likes
	}
	return func() {
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread()
		} // else the thread ends with its goroutine, and nobody else gets it
	}
}

// PinProcess keeps all threads of another process on a CPU. Threads that it starts later
// stay there too, since they inherit it.
func PinProcess(pid, cpu int) error {
	var one unix.CPUSet
	one.Set(cpu)
	tasks, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return err
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(tid, &one); err != nil && err != unix.ESRCH { // it has ended
			return os.NewSyscallError("sched_setaffinity", err)
		}
	}
	return nil
}
