//go:build linux && cgo

package events

// #cgo CFLAGS: -O2 -Wall -Wextra -pthread -I${SRCDIR}/../../../../../../include
// #cgo LDFLAGS: -pthread
// #include "server.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio" // blocking calls of coroutines wait in Go's poller
)

type message = C.struct_seam_events_message

// handle makes the answer.
func handle(m *message) { m.number++ }

//export seamEventsHandle
func seamEventsHandle(m *C.struct_seam_events_message) { handle(m) }

// start starts a server. What goes wrong later is sent to failed.
func start(via string, listener int, failed chan<- error) error {
	switch via {
	case viaLoop:
		return startLoop(C.SEAM_EVENTS_ANSWER, listener, failed)
	case viaCallback:
		return startLoop(C.SEAM_EVENTS_CALLBACK, listener, failed)
	case viaEventfd:
		return startEventfd(listener, failed)
	case viaNetpoll:
		return startNetpoll(listener, failed)
	case viaCoro:
		return startCoro(listener, failed)
	case viaCoroLoop:
		return startCoroLoop(listener, failed)
	}
	return fmt.Errorf("no server is named %q", via)
}

func newLoop(kind uint32, listener int) (*C.struct_seam_events_loop, error) {
	var l *C.struct_seam_events_loop
	if e := C.seam_events_loop_new(&l, kind, C.int(listener)); e != 0 {
		return nil, fmt.Errorf("the event loop: %w", syscall.Errno(e))
	}
	return l, nil
}

// startLoop runs the loop on a thread on which Go has called C: callbacks from
// such a thread are the cheapest.
func startLoop(kind uint32, listener int, failed chan<- error) error {
	l, err := newLoop(kind, listener)
	if err != nil {
		return err
	}
	go func() { failed <- fmt.Errorf("epoll_wait: %w", syscall.Errno(C.seam_events_loop_run(l))) }()
	return nil
}

func startEventfd(listener int, failed chan<- error) error {
	l, err := newLoop(C.SEAM_EVENTS_HAND_OVER, listener)
	if err != nil {
		return err
	}
	if e := C.seam_events_loop_start(l); e != 0 {
		return fmt.Errorf("the event loop's thread: %w", syscall.Errno(e))
	}
	ready := os.NewFile(uintptr(C.seam_events_loop_ready(l)), "ready")
	go func() {
		wake := map[int]chan struct{}{} // the goroutine of a connection
		var counter [8]byte
		for {
			if _, err := ready.Read(counter[:]); err != nil {
				failed <- err
				return
			}
			var fds [64]C.int32_t
			for n := len(fds); n == len(fds); {
				n = int(C.seam_events_loop_take(l, &fds[0], C.int(len(fds))))
				for _, fd := range fds[:n] {
					w := wake[int(fd)]
					if w == nil {
						w = make(chan struct{}, 1)
						wake[int(fd)] = w
						go answerHanded(int(fd), C.seam_events_loop_message(l, C.int(fd)), w)
					}
					w <- struct{}{}
				}
			}
		}
	}()
	return nil
}

// answerHanded answers the requests of one connection.
func answerHanded(fd int, m *message, wake <-chan struct{}) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(m)), unsafe.Sizeof(*m))
	for range wake {
		handle(m)
		// So little always fits; the loop notices who has hung up.
		_, _ = unix.Write(fd, bytes)
	}
}

func startNetpoll(listener int, failed chan<- error) error {
	l, err := net.FileListener(os.NewFile(uintptr(listener), "listener"))
	if err != nil {
		return err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				failed <- err
				return
			}
			go func() {
				defer c.Close()
				var m message
				bytes := unsafe.Slice((*byte)(unsafe.Pointer(&m)), unsafe.Sizeof(m))
				for {
					if _, err := io.ReadFull(c, bytes); err != nil {
						return // it has hung up
					}
					handle(&m)
					if _, err := c.Write(bytes); err != nil {
						return
					}
				}
			}()
		}
	}()
	return nil
}

func startCoro(listener int, failed chan<- error) error {
	// One thread may wait in accept: it does so while the clients connect.
	if err := unix.SetNonblock(listener, false); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	fn := C.seam_events_serve_address()
	handler := C.seam_func(coro.Register(handle).ID())
	go func() {
		for {
			fd, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err != nil {
				failed <- os.NewSyscallError("accept", err)
				return
			}
			go func() {
				defer unix.Close(fd)
				c := &C.struct_seam_events_connection{fd: C.int(fd), handle: handler}
				code, err := coro.Floating.Call(context.Background(), fn, unsafe.Pointer(c))
				if err == nil && code != 0 {
					err = syscall.Errno(code)
				}
				if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
					failed <- fmt.Errorf("a connection's coroutine: %w", err)
				}
			}()
		}
	}()
	return nil
}

// startCoroLoop runs the loop as one coroutine. Its epoll_wait is netio's, which waits in
// Go's poller, so a thread is held only while there is something to do.
func startCoroLoop(listener int, failed chan<- error) error {
	l, err := newLoop(C.SEAM_EVENTS_UPCALL, listener)
	if err != nil {
		return err
	}
	s := &C.struct_seam_events_served_loop{loop: l, handle: C.seam_func(coro.Register(handleBatch).ID())}
	go func() {
		code, err := coro.Floating.Call(context.Background(), C.seam_events_loop_address(), unsafe.Pointer(s))
		if err == nil {
			err = fmt.Errorf("it ended with %d", code)
		}
		failed <- fmt.Errorf("the loop's coroutine: %w", err)
	}()
	return nil
}

func handleBatch(b *C.struct_seam_events_batch) {
	for _, m := range b.m[:b.n] {
		handle(m)
	}
}
