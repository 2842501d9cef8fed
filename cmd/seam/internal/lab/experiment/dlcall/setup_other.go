//go:build !cgo || !linux || !(amd64 || arm64)

package dlcall

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func setup(_, _ string) (*lab.Op, error) {
	return nil, lab.Skip("what all of the ways can call takes cgo, and Linux on amd64 or arm64")
}
