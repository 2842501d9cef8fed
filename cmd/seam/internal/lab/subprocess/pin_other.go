//go:build !linux

package subprocess

import (
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func TwoCPUs() (first, second int, err error) {
	if runtime.NumCPU() < 2 {
		return 0, 0, lab.Skip("two threads at the same time need two CPUs, and there is one")
	}
	return 0, 1, nil
}

// Pin does nothing: the system places the threads.
func Pin(int) (undo func()) { return func() {} }
