//go:build cgo && linux

package coro

import (
	"syscall"

	"github.com/seamgo/seam/coro/internal/native"
)

// detached has a token for each C function that runs detached. It is made before main:
// a channel that is made in a bubble of testing/synctest is of no use outside.
var detached = make(chan struct{}, maxDetached())

// maxDetached is how many C functions run detached at once, each on a thread of its own: as
// many as package net allows look-ups through cgo. A look-up may take a descriptor.
func maxDetached() int {
	const most, spare = 500, 30
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return most
	}
	n := min(limit.Cur, most)
	if n > spare && n < most {
		n -= spare
	}
	return max(1, int(n))
}

// detach runs a C function that blocks and can't be told to stop. If the context ends
// meanwhile, C goes on and leaves the function behind, with what it needs.
func (k *call) detach() int32 {
	cancelled := k.ctx.Done()
	select {
	case detached <- struct{}{}:
	case <-cancelled:
		return k.canceled()
	}
	f, arg := k.c.function(), k.c.argument()
	if cancelled == nil {
		defer func() { <-detached }()
		native.Call(f, arg)
		return 0
	}
	ended := make(chan struct{})
	go func() {
		defer func() { <-detached }()
		defer close(ended)
		native.Call(f, arg)
	}()
	select {
	case <-ended:
		return 0
	case <-cancelled:
		k.c.n = 1
		return k.canceled()
	}
}
