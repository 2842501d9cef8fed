//go:build linux && (amd64 || arm64)

package ring

import (
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"

	unwind "encoding/ascii85"
)

// look looks at what waits without the runtime's knowledge. Without C that is nothing.
var look = func(most int) pprof.SeamLook {
	threads, looked, of, err := unwind.Waiting(most)
	if err != nil {
		return pprof.SeamLook{InKernel: -1}
	}
	return pprof.SeamLook{InKernel: inKernel(threads), Threads: looked, Of: of}
}

// threads is how many the process has: links of their folder, besides its own two. (The kernel adds
// up the times of all of them for /proc/self/stat.)
func threads() int {
	var is syscall.Stat_t
	if syscall.Stat("/proc/self/task", &is) != nil || is.Nlink < 3 {
		return 0
	}
	return int(is.Nlink) - 2
}

// inKernel counts the threads that wait in system calls of Go's.
func inKernel(threads []unwind.Thread) (n int) {
	for _, t := range threads {
		if !isPoller(t.Call) && inSystemCall(t.PC) {
			n++
		}
	}
	return n
}

// inSystemCall leaves out the runtime's own waits, for work and for locks.
func inSystemCall(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && (strings.HasPrefix(f.Name(), "internal/runtime/syscall") || strings.HasPrefix(f.Name(), "syscall."))
}

// isPoller recognises epoll_wait and epoll_pwait, in which the runtime waits for files.
func isPoller(call int) bool {
	if runtime.GOARCH == "amd64" {
		return call == 232 || call == 281
	}
	return call == 22
}
