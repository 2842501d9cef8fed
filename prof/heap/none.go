//go:build !(linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan)

package heap

import (
	"fmt"

	"github.com/seamgo/seam/internal/abi"
)

var status = fmt.Errorf("no profile of C's memory: %w", abi.CheckCgo())

func read() (list []site, peak, lost int64) { return nil, 0, 0 }

func rate() uint64 { return Rate }

func arenas() (held, free int64) { return 0, 0 }

func names(uintptr, bool) []function { return nil }
