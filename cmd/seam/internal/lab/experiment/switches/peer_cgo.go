//go:build linux && cgo

package switches

// #cgo CFLAGS: -O2 -Wall -pthread
// #cgo LDFLAGS: -pthread
// #include "peer.h"
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func setupNoneC(ws int) (*lab.Op, error) {
	b, err := acquire(ws)
	if err != nil {
		return nil, err
	}
	return &lab.Op{
		Run: func(n int) {
			C.seam_touch_turns(words(b.ours), words(b.theirs), C.size_t(len(b.ours)), C.long(n))
		},
		Close: b.release,
	}, nil
}

// How the parties of a pair hand over.
const (
	processPipe = C.SEAM_PROCESS
	threadPipe  = C.SEAM_THREAD
	threadFutex = C.SEAM_FUTEX
)

func setupProcess(ws int) (*lab.Op, error) { return setupPeer(processPipe, ws) }
func setupThread(ws int) (*lab.Op, error)  { return setupPeer(threadPipe, ws) }
func setupFutex(ws int) (*lab.Op, error)   { return setupPeer(threadFutex, ws) }

// A sample is one C call, so its price is paid once for thousands of switches.
func setupPeer(kind C.enum_seam_kind, ws int) (*lab.Op, error) {
	p, err := newPeer(kind, ws)
	if err != nil {
		return nil, err
	}
	var t trips
	return &lab.Op{
		Run: func(n int) {
			if err := p.run(t.of(n)); err != nil {
				// A broken pair has no price, and a wrong one must not be shown.
				panic(fmt.Errorf("switch: %w", err))
			}
		},
		Close: p.close,
	}, nil
}

// A peer is the other party, pinned to the CPU of the caller of run.
type peer struct {
	c *C.struct_seam_peer
	b *buffers
}

func newPeer(kind C.enum_seam_kind, ws int) (*peer, error) {
	b, err := acquire(ws)
	if err != nil {
		return nil, err
	}
	p := &peer{b: b}
	what := "thread"
	if kind == processPipe {
		what = "process"
	}
	if e := C.seam_peer_new(&p.c, kind, words(b.ours), words(b.theirs), C.size_t(len(b.ours))); e != 0 {
		b.release()
		return nil, lab.Skip("can't start a second %s: %v", what, syscall.Errno(e))
	}
	if err := p.run(1); err != nil {
		p.close()
		return nil, lab.Skip("the second %s: %v", what, err)
	}
	return p, nil
}

func (p *peer) run(rounds int) error {
	switch e := syscall.Errno(C.seam_peer_run(p.c, C.long(rounds))); e {
	case 0:
		return nil
	case syscall.EPIPE:
		return fmt.Errorf("peer %d has gone: was it killed?", p.tid())
	default:
		return fmt.Errorf("can't pin threads to one CPU: %w", e)
	}
}

func (p *peer) tid() int { return int(C.seam_peer_tid(p.c)) }

func (p *peer) close() {
	C.seam_peer_free(p.c)
	p.b.release()
}

// words is the address of a buffer for C; the memory is not the Go heap's.
func words(buf []uint64) *C.uint64_t { return (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(buf))) }
