//go:build linux && cgo

package spawn

// #cgo CFLAGS: -O2 -Wall -pthread
// #cgo LDFLAGS: -pthread
// #include "thread.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/debug"
	"syscall"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func setupThread() (*lab.Op, error) {
	return setupC("thread", func(n int) syscall.Errno { return syscall.Errno(C.seam_spawn_threads(C.long(n))) })
}

func setupFork() (*lab.Op, error) {
	return setupC("process", func(n int) syscall.Errno { return syscall.Errno(C.seam_spawn_forks(C.long(n))) })
}

// A sample is one C call, whose price is paid once for many starts.
func setupC(what string, spawn func(n int) syscall.Errno) (*lab.Op, error) {
	if e := spawn(1); e != 0 {
		return nil, lab.Skip("can't start a %s: %v", what, e)
	}
	return &lab.Op{Run: func(n int) {
		if e := spawn(n); e != 0 {
			// It worked before; a wrong price must not be shown.
			panic(fmt.Errorf("spawn: can't start a %s any more: %w", what, e))
		}
	}}, nil
}

// roomPerThread is what must be free for each thread before the lab starts many.
const roomPerThread = 64 << 10

// parkThreads starts n threads with the C library's default stack.
func parkThreads(ctx context.Context, n int) ([]lab.Metric, error) {
	if ctx.Err() != nil { // once started it takes milliseconds
		return nil, ctx.Err()
	}
	if err := needMemory(int64(n)*roomPerThread, n, "threads"); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // or the runtime would return it during the measurement, and it would be subtracted from ours
	resident0, err := subprocess.Resident()
	if err != nil {
		return nil, lab.Skip("can't read the memory in use: %v", err)
	}
	virtual0, errVirtual := subprocess.Field("/proc/self/status", "VmSize")
	var p *C.struct_seam_park
	var started C.int
	if e := C.seam_park_new(&p, C.int(n), &started); e != 0 {
		return nil, lab.Skip("only %d of %d threads could be started: %v; raise ulimit -u or the control group's pids.max", started, n, syscall.Errno(e))
	}
	resident1, err := subprocess.Resident()
	virtual1, err2 := subprocess.Field("/proc/self/status", "VmSize")
	stack := kernelStack()
	C.seam_park_free(p)
	if err != nil {
		return nil, err
	}
	each := func(d int64) float64 { return float64(d) / float64(n) }
	user := each(resident1 - resident0)
	found := []lab.Metric{
		{Name: threadName, Unit: "B/unit", Value: user + float64(stack), Label: "parked thread, resident and kernel stack"},
		{Name: threadName + residentName, Unit: "B/unit", Value: user, Label: "parked thread, resident"},
		{Name: threadName + countName, Unit: "count", Value: float64(n), Label: "threads parked"},
	}
	if stack > 0 {
		found = append(found, lab.Metric{Name: threadName + kernelName, Unit: "B/unit", Value: float64(stack), Label: "parked thread, kernel stack"})
	}
	if errVirtual == nil && err2 == nil {
		found = append(found, lab.Metric{Name: virtualName, Unit: "B/unit", Value: each(virtual1 - virtual0), Label: "parked thread, address space"})
	}
	return found, nil
}
