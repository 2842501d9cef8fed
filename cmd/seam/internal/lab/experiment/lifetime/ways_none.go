//go:build !cgo || !linux

package lifetime

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func noC() error { return lab.NoC("C code of this experiment") }

func setup(way) (*lab.Op, error)          { return nil, noC() }
func probeMemory() ([]lab.Metric, error)  { return nil, noC() }
func probeLeak(int) ([]lab.Metric, error) { return nil, noC() }

func probeVerdicts(context.Context, lab.Mode) ([]lab.Metric, error) { return nil, noC() }
