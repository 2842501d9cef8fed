//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seamgo/seam/internal/unwind"
)

// keptCrashes is how many reports stay when the program starts.
const keptCrashes = 19

// keepCrashes has each report of a crash in C written to a file of its own in a directory.
func keepCrashes(dir string) error {
	if !filepath.IsAbs(dir) { // the program may go elsewhere
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		dir = abs
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	list, err := os.ReadDir(dir) // in the order of names, which begin with the time
	if err != nil {
		return err
	}
	var crashes []string
	for _, e := range list {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".crash") {
			crashes = append(crashes, filepath.Join(dir, e.Name()))
		}
	}
	for len(crashes) > keptCrashes {
		if err := os.Remove(crashes[0]); err != nil && !errors.Is(err, os.ErrNotExist) { // another process may be here
			return err
		}
		crashes = crashes[1:]
	}
	return unwind.CrashDirectory(dir)
}

// crashOutput has reports of crashes in C written to a copy of f's descriptor.
func crashOutput(f *os.File) error {
	fd := -1
	if f != nil {
		c, err := f.SyscallConn()
		if err != nil {
			return err
		}
		var failed syscall.Errno
		err = c.Control(func(of uintptr) {
			var made uintptr
			made, _, failed = syscall.Syscall(syscall.SYS_FCNTL, of, syscall.F_DUPFD_CLOEXEC, 0)
			fd = int(made)
		})
		if err != nil {
			return err
		}
		if failed != 0 {
			return os.NewSyscallError("fcntl", failed)
		}
	}
	if before := unwind.CrashOutput(fd); before >= 0 {
		return os.NewSyscallError("close", syscall.Close(before))
	}
	return nil
}
