//go:build !linux || !cgo

package events

import (
	"context"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func probe(string) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(context.Context, *lab.Bench) ([]lab.Metric, error) {
		if runtime.GOOS != "linux" {
			return nil, lab.Skip("Linux only: the C side waits by epoll")
		}
		return nil, lab.Skip("built without cgo: C code is what is joined to Go; build with CGO_ENABLED=1 and a C compiler")
	}
}
