//go:build linux && cgo

package events

// #include "client.h"
import "C"

import (
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// A client holds connections to a server and asks it. The memory that it is
// told the latencies in is used again by every run.
type client struct {
	c       *C.struct_seam_events_client
	load    C.struct_seam_events_load
	latency []C.uint32_t
	pin     runtime.Pinner
}

// A client hardly gets more than a million answers a second. Beyond that
// rate, or after a few seconds, latencies are not recorded.
const (
	answersPerSecond = 1_000_000
	mostNoted        = 4_000_000
)

// connect opens that many connections to a port of this computer. No run
// should be longer than longest.
func connect(port, connections int, longest time.Duration) (*client, error) {
	k := &client{latency: make([]C.uint32_t, int(min(longest.Seconds()*answersPerSecond+1, mostNoted)))}
	if e := C.seam_events_client_new(&k.c, C.int(port), C.int(connections)); e != 0 {
		return nil, fmt.Errorf("connect %d times: %w", connections, syscall.Errno(e))
	}
	k.pin.Pin(&k.latency[0])
	k.load.latency, k.load.room = &k.latency[0], C.int64_t(len(k.latency))
	return k, nil
}

func (k *client) close() {
	C.seam_events_client_free(k.c)
	k.pin.Unpin()
}

// What a run has seen.
type seen struct {
	answers int
	took    time.Duration // from the first request to the last answer
	latency []float64     // ns
}

func (s *seen) quantile(q float64) float64 { return subprocess.Quantile(s.latency, q) }

// run keeps that many requests in flight for a while.
func (k *client) run(requests int, long time.Duration) (*seen, error) {
	k.load.inflight, k.load.ns = C.int(requests), C.int64_t(long)
	if e := C.seam_events_client_run(k.c, &k.load); e != 0 {
		return nil, fmt.Errorf("ask the server: %w", syscall.Errno(e))
	}
	s := &seen{answers: int(k.load.answers), took: time.Duration(k.load.took)}
	noted := k.latency[:min(s.answers, len(k.latency))]
	s.latency = make([]float64, len(noted))
	for i, v := range noted {
		s.latency[i] = float64(v)
	}
	return s, nil
}
