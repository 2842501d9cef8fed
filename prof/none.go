//go:build !(linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan)

package prof

import (
	"os"

	"github.com/seamgo/seam/internal/abi"
)

func signals() []string { return nil }

var state = State{PathNone, abi.CheckCgo().Error()}

func crashOutput(*os.File) error { return nil } // nobody reports
