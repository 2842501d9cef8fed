//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && !(go1.25 && !go1.28)

package prof

import "github.com/seamgo/seam/internal/abi"

func announce() error { return abi.Check() }
