//go:build !linux

package switches

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func setupSyscall(int) (*lab.Op, error) { return nil, lab.Skip("Linux only: raw getppid") }
