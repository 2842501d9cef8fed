//go:build !linux

package call

import (
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func rawSyscall() (*lab.Op, error) {
	return nil, lab.Skip("system calls are timed on Linux only, not on %s", runtime.GOOS)
}

func toldSyscall() (*lab.Op, error) { return rawSyscall() }
