package ring

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// What package syscall doesn't have, the same on all architectures.
const (
	mfdCloexec      = 1
	mfdAllowSealing = 2

	fAddSeals = 1033
	fGetSeals = 1034

	sealSeal   = 1
	sealShrink = 2
	sealGrow   = 4
	// sealed memory keeps its size, so that nobody gets SIGBUS.
	sealed = sealSeal | sealShrink | sealGrow
	// sealFutureWrite, since Linux 5.1, leaves what is mapped writable, and nothing else.
	sealFutureWrite = 0x10

	efdCloexecNonblock = syscall.O_CLOEXEC | syscall.O_NONBLOCK
)

// memfdCreate is the number of a system call that is newer than package syscall's list.
func memfdCreate() uintptr {
	switch runtime.GOARCH {
	case "amd64":
		return 319
	case "386":
		return 356
	case "arm":
		return 385
	case "arm64", "riscv64", "loong64":
		return 279
	}
	return 0
}

// memfd returns memory of a size that can't change, which has no name and is freed with
// its last descriptor and mapping.
func memfd(size int64) (fd int, err error) {
	if fd, err = unsealedMemfd(size); err != nil {
		return -1, err
	}
	if err := seal(fd, sealed); err != nil {
		syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

func unsealedMemfd(size int64) (fd int, err error) {
	if memfdCreate() == 0 {
		return -1, wrap(ErrUnsupported, "linux/%s", runtime.GOARCH)
	}
	name := [...]byte{'s', 'e', 'a', 'm', '-', 'r', 'i', 'n', 'g', 0}
	r, _, errno := syscall.Syscall(memfdCreate(), uintptr(unsafe.Pointer(&name)), mfdCloexec|mfdAllowSealing, 0)
	if errno != 0 {
		return -1, os.NewSyscallError("memfd_create", errno)
	}
	fd = int(r)
	if err := syscall.Ftruncate(fd, size); err != nil {
		syscall.Close(fd)
		return -1, os.NewSyscallError("ftruncate", err)
	}
	return fd, nil
}

func seal(fd, seals int) error {
	_, err := fcntl(fd, fAddSeals, seals)
	return os.NewSyscallError("fcntl(F_ADD_SEALS)", err)
}

// countsMemory says whether the kernel refuses memory before there is none: whether
// vm.overcommit_memory is 2.
func countsMemory() bool {
	mode, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	return err == nil && len(mode) > 0 && mode[0] == '2'
}

// allocate takes the memory now, if now is true. Where the kernel counts what it has
// promised, using memory that can't be had ends in SIGBUS. Elsewhere it is taken as it is
// used, so that rings which are idle cost little.
func allocate(fd int, size int64, now bool) error {
	for now {
		switch err := syscall.Fallocate(fd, 0, 0, size); err {
		case syscall.EINTR:
		case nil:
			return nil
		default:
			return fmt.Errorf("ring: %d bytes of memory for the rings: %w", size, os.NewSyscallError("fallocate", err))
		}
	}
	return nil
}

// checkMemfd returns an error unless fd is sealed memory of this size.
func checkMemfd(fd int, size int64) error {
	seals, err := fcntl(fd, fGetSeals, 0)
	if err != nil {
		return wrap(ErrMismatch, "the peer's memory can't be sealed: %v", err)
	}
	if seals&sealed != sealed {
		return wrap(ErrMismatch, "the peer's memory has the seals %#x, and must have %#x: its size could change", seals, sealed)
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if st.Size != size {
		return wrap(ErrMismatch, "the peer's memory has %d bytes, and its rings take %d", st.Size, size)
	}
	return nil
}

func fcntl(fd, cmd, arg int) (int, error) {
	r, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), uintptr(cmd), uintptr(arg))
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}

// eventfd returns one that doesn't block.
func eventfd() (int, error) {
	r, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, efdCloexecNonblock, 0)
	if errno != 0 {
		return -1, os.NewSyscallError("eventfd2", errno)
	}
	return int(r), nil
}
