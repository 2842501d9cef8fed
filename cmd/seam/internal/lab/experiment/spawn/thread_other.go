//go:build !linux || !cgo

package spawn

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func setupThread() (*lab.Op, error) { return nil, withoutC() }
func setupFork() (*lab.Op, error)   { return nil, withoutC() }

func parkThreads(context.Context, int) ([]lab.Metric, error) { return nil, withoutC() }

func withoutC() error { return lab.NoC("memory of C threads is read from /proc") }
