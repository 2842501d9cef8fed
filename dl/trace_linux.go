//go:build linux

package dl

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/internal/crossing"
)

func init() { tracing = startTrace(os.Getenv("SEAM_TRACE")) }

func startTrace(name string) *tracer {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil // of seam trace, whose programs record what goes through cgo
	}
	if state.Path != PathAssembly { // callbacks can't be told to be of a call
		crossing.Warn("dl", "nothing is traced: "+state.String())
		return nil
	}
	t, err := openTrace(name)
	if err != nil {
		crossing.Warn("dl", "nothing is traced: SEAM_TRACE: "+err.Error())
		return nil
	}
	return t
}

// openTrace makes the file, under a name with the process's number where there is one already: another
// process's, perhaps.
func openTrace(name string) (*tracer, error) {
	const flags = os.O_RDWR | os.O_CREATE | os.O_EXCL
	f, err := os.OpenFile(name, flags, 0o666)
	if os.IsExist(err) {
		f, err = os.OpenFile(name+"."+strconv.Itoa(os.Getpid()), flags, 0o666)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := traceHead + int(unsafe.Sizeof([traceMost]traced{}))
	// Memory of a file for which the disk has no room is a fault when it is written to.
	err = syscall.Fallocate(int(f.Fd()), 0, 0, int64(size))
	if err == syscall.EOPNOTSUPP {
		err = f.Truncate(int64(size))
	}
	if err != nil {
		return nil, fmt.Errorf("no room for %s: %w", f.Name(), err)
	}
	m, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	copy(m, traceMagic)
	return &tracer{
		traceHeader: (*traceHeader)(unsafe.Pointer(&m[0])), all: (*[traceMost]traced)(unsafe.Pointer(&m[traceHead])),
		known: map[[2]string]*traced{}, control: sync.OnceValue(newControl),
	}, nil
}
