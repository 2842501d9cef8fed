//go:build linux && cgo

package wake

// #cgo CFLAGS: -O2 -Wall -Wextra -pthread
// #cgo LDFLAGS: -pthread
// #include "pair.h"
import "C"

import (
	"syscall"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// setup makes two threads that tell each other by the i-th way. A sample is one C call, so
// its price is paid once for thousands of trips.
func setup(i int, op string) (*lab.Op, error) {
	if bys[i] == "spin" && op == rtt {
		if _, _, err := subprocess.TwoCPUs(); err != nil {
			return nil, err
		}
	}
	var p *C.struct_seam_wake_pair
	if e := C.seam_wake_new(&p, C.enum_seam_wake_by(i)); e != 0 {
		return nil, lab.Skip("can't start a second thread: %v", syscall.Errno(e))
	}
	run := func(n int) { C.seam_wake_signal(p, C.long(n)) }
	if op == rtt {
		run = func(n int) { C.seam_wake_trips(p, C.long(n)) }
	}
	return &lab.Op{Run: run, Close: func() { C.seam_wake_free(p) }}, nil
}
