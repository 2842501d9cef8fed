package call

import (
	"syscall"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// noSuchCall is refused by the kernel at once: what remains is the way in and
// out.
const noSuchCall = ^uintptr(0)

func rawSyscall() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		for range n {
			syscall.RawSyscall(noSuchCall, 0, 0, 0)
		}
	}}, nil
}

func toldSyscall() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		for range n {
			syscall.Syscall(noSuchCall, 0, 0, 0)
		}
	}}, nil
}
