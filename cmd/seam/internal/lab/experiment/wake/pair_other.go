//go:build !linux || !cgo

package wake

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func setup(int, string) (*lab.Op, error) { return nil, lab.NoC("futex and eventfd") }
