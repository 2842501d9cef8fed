// Command linked calls functions of a C library that block, in coroutines: the
// library is what the test has linked, see link_test.go.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../internal/ctest -I${SRCDIR}/../../../../include
#include <stdlib.h>
#include "op.h"
*/
import "C"

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio"
)

func main() { os.Exit(int(linked())) }

// linked is main for a C program that loads this one as a library.
//
//export linked
func linked() C.int {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "linked:", err)
		return 1
	}
	fmt.Println("all waited:", coro.Status())
	return 0
}

func run() error {
	kinds := []C.int32_t{C.OP_READ, C.OP_READV, C.OP_RECV, C.OP_RECVFROM, C.OP_RECVMSG, C.OP_POLL, C.OP_PPOLL,
		C.OP_SELECT, C.OP_PSELECT, C.OP_READ_CHK, C.OP_RECV_CHK, C.OP_RECVFROM_CHK, C.OP_POLL_CHK, C.OP_PPOLL_CHK}
	results := make(chan error)
	var peers []int
	for _, kind := range kinds {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		peers = append(peers, fds[1])
		op := (*C.struct_seam_test_op)(C.calloc(1, C.sizeof_struct_seam_test_op))
		op.kind, op.fd, op.timeout = kind, C.int32_t(fds[0]), -1
		op.fds[0].fd, op.fds[0].events, op.nfds = op.fd, 1, 1
		switch kind {
		case C.OP_POLL, C.OP_PPOLL, C.OP_SELECT, C.OP_PSELECT, C.OP_POLL_CHK, C.OP_PPOLL_CHK:
		default:
			op.n, op.buf = 1, C.calloc(1, 1)
		}
		go func() {
			n, err := coro.Floating.Call(context.Background(), unsafe.Pointer(C.seam_netio_test), unsafe.Pointer(op))
			if err == nil && n != 1 {
				err = fmt.Errorf("function %d returned %d, errno %d", kind, n, op.err)
			}
			results <- err
		}()
	}
	for end := time.Now().Add(time.Minute); coro.ReadStats().Waiting < len(kinds); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%d of %d wait as coroutines", coro.ReadStats().Waiting, len(kinds))
		}
	}
	for _, fd := range peers {
		if _, err := syscall.Write(fd, []byte("x")); err != nil {
			return err
		}
	}
	for range kinds {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}
