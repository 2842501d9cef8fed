//go:build cgo && linux

package coro

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seamgo/seam/internal/bubble/outside"
)

// A started is made when it is first needed, and then stays. A failure does not: what is
// missing today (a descriptor) may be there at the next call.
type started[T any] struct {
	value atomic.Pointer[T]
	mu    sync.Mutex
}

func (s *started[T]) get(start func() (*T, error)) (*T, error) {
	if v := s.value.Load(); v != nil {
		return v, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.value.Load(); v != nil {
		return v, nil
	}
	var v *T
	var err error
	outside.Do(func() { v, err = start() }) // it is not only for the bubble that we may be in
	if err == nil {
		s.value.Store(v)
	}
	return v, err
}

// pollable returns a descriptor as a file that Go's poller watches. It closes the descriptor
// if that fails, as it does when the user has no watches left (fs.epoll.max_user_watches):
// os.NewFile does not say so.
func pollable(fd int, name string) (*os.File, error) {
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("coro: %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		f.Close()
		return nil, fmt.Errorf("coro: %s: Go's poller does not take it: %w", name, err)
	}
	return f, nil
}
