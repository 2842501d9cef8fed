//go:build !linux || !cgo

package events

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func probe(string) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(context.Context, *lab.Bench) ([]lab.Metric, error) {
		return nil, lab.NoC("C waits by epoll")
	}
}
