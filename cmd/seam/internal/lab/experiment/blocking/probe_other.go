//go:build !linux || !cgo

package blocking

import (
	"context"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func probe(string, int) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(context.Context, *lab.Bench) ([]lab.Metric, error) {
		if runtime.GOOS != "linux" {
			return nil, lab.Skip("Linux only: threads and memory are read from /proc, the other side waits by epoll")
		}
		return nil, lab.Skip("built without cgo: C code is what blocks; build with CGO_ENABLED=1 and a C compiler")
	}
}
