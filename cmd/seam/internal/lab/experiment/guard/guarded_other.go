//go:build !(linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28)

package guard

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func setupPrice(string) (*lab.Op, error) { return nil, notHere() }

func probePause(string) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(context.Context, *lab.Bench) ([]lab.Metric, error) { return nil, notHere() }
}

func notHere() error {
	return lab.Skip("programs are welded on linux/amd64 and linux/arm64 with cgo and Go 1.25 to 1.27 only")
}
