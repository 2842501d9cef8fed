//go:build linux && cgo

package blocking

// #include "peer.h"
import "C"

import (
	"syscall"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// A peer is the C thread that answers.
type peer struct {
	c    *C.struct_seam_blocking_peer
	name string // of its socket, abstract, without the leading zero
}

// startPeer starts a thread that answers each byte after the delay, with at
// most so many answers outstanding at once.
func startPeer(delay time.Duration, most int) (*peer, error) {
	p := &peer{}
	var name [108]C.char
	if e := C.seam_blocking_peer_new(&p.c, C.int64_t(delay), C.long(most), &name[0]); e != 0 {
		return nil, lab.Skip("can't start the thread that answers: %v", syscall.Errno(e))
	}
	p.name = C.GoString(&name[0])
	return p, nil
}

// close ends the thread and its connections.
func (p *peer) close() { C.seam_blocking_peer_free(p.c) }
