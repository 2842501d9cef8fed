//go:build linux && cgo

package rings

// #cgo CFLAGS: -O2 -Wall -Wextra -pthread -I${SRCDIR}/../../../../../../include
// #cgo LDFLAGS: -pthread
// #include "peer.h"
import "C"

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
	_ "github.com/seamgo/seam/include"
)

func init() {
	subprocess.Hook("rings-c", func(p *subprocess.Pipe) error { return obey(p, serveC) })
}

func haveC() error { return nil }

var ops = map[string]C.enum_seam_rings_op{throughput: C.SEAM_RINGS_THROUGHPUT, spin: C.SEAM_RINGS_SPIN, park: C.SEAM_RINGS_PARK, usual: C.SEAM_RINGS_USUAL}

// serveC opens what an order needs, all of it blocking, and serves it in C, on a thread of
// its own.
func serveC(o order) error {
	op, known := ops[o.Op]
	if !known {
		return fmt.Errorf("nothing is named %q", o.Op)
	}
	sock, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	if err := unix.Connect(sock, &unix.SockaddrUnix{Name: "@" + o.Socket}); err != nil {
		unix.Close(sock)
		return os.NewSyscallError("connect", err)
	}
	switch o.Via {
	case viaSeam, viaEach, viaSmall:
		go C.seam_rings_serve(C.int(sock), op) // which closes the socket
	case viaLine, viaLines:
		f, err := os.OpenFile(o.Word, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		page, err := mapWord(f)
		if err != nil {
			return err
		}
		go func() {
			both := wordsIn(unsafe.Pointer(&page[0]), o.Via)
			C.seam_rings_serve_words(C.int(sock), (*C.uint64_t)(unsafe.Pointer(both.there)), (*C.uint64_t)(unsafe.Pointer(both.back)))
			unix.Close(sock)
			unix.Munmap(page)
		}()
	case viaPipe:
		in, err := unix.Open(o.In, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return &os.PathError{Op: "open", Path: o.In, Err: err}
		}
		out, err := unix.Open(o.Out, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return &os.PathError{Op: "open", Path: o.Out, Err: err}
		}
		go serveStream(in, out, op, o.Size, sock)
	default:
		go serveStream(sock, sock, op, o.Size)
	}
	return nil
}

func serveStream(in, out int, op C.enum_seam_rings_op, size int, more ...int) {
	C.seam_rings_serve_stream(C.int(in), C.int(out), op, C.size_t(size))
	unix.Close(in)
	if out != in {
		unix.Close(out)
	}
	for _, fd := range more {
		unix.Close(fd)
	}
}

// betweenThreads is a ring between two threads of C.
func betweenThreads(size int, via string) (*wire, error) {
	var t *C.struct_seam_rings_threads
	if e := C.seam_rings_threads_new(&t, capacity); e != 0 {
		return nil, lab.Skip("can't start a second thread: %v", syscall.Errno(e))
	}
	together, array := C.long(batch(size)), C.int(0)
	switch via {
	case viaEach:
		together = 1
	case viaSeam:
		array = 1
	}
	return &wire{
		send: func(n int) error {
			if e := C.seam_rings_threads_send(t, C.long(n), C.size_t(size), together, array); e != 0 {
				return fmt.Errorf("error %d of seam/ring.h", e)
			}
			return nil
		},
		close: func() { C.seam_rings_threads_free(t) },
	}, nil
}
