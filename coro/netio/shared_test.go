//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

// Thousands wait for a descriptor of their own and for one that all share, as libraries do
// that can be told to stop through a pipe.
func TestManyShareADescriptor(t *testing.T) {
	needCoroutines(t)
	n := 5000
	if testing.Short() {
		n = 500
	}
	for name, r := range map[string]coro.Runner{"floating": coro.Floating, "executor": executor(t)} {
		t.Run(name, func(t *testing.T) {
			stop, stopper := pipe(t)
			own, _ := pipe(t)
			calls := make([]*pending, n)
			for i := range calls {
				op := newOp(t, ctest.Poll, 0)
				op.NFDs, op.FDs[0], op.FDs[1] = 2, ctest.PollFD{FD: int32(own), Events: 1}, ctest.PollFD{FD: int32(stop), Events: 1}
				calls[i] = start(t, r, op)
			}
			untilWaiting(t, n)
			for _, p := range calls[:n/2] {
				p.cancel(errTest)
			}
			untilWaiting(t, n-n/2)
			write(t, stopper, "x")
			for i, p := range calls {
				p.wait(t)
				if i >= n/2 && (p.op.Result != 1 || p.op.FDs[1].Revents != 1) {
					t.Fatalf("call %d: %d, %+v", i, p.op.Result, p.op.FDs[:2])
				}
			}
		})
	}
}
