//go:build !linux

package versions

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func start(context.Context, *lab.Bench, thing, release) (*lab.Op, error) {
	return nil, lab.Skip("Linux only: the programs are run in ways that only Linux offers")
}
