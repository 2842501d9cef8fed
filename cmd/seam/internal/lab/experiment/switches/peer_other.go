//go:build !linux || !cgo

package switches

import (
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func setupNoneC(int) (*lab.Op, error)   { return nil, withoutC() }
func setupProcess(int) (*lab.Op, error) { return nil, withoutC() }
func setupThread(int) (*lab.Op, error)  { return nil, withoutC() }
func setupFutex(int) (*lab.Op, error)   { return nil, withoutC() }

func withoutC() error {
	if runtime.GOOS != "linux" {
		return lab.Skip("Linux only: pins two parties to one CPU")
	}
	return lab.Skip("built without cgo: the parties are C code; build with CGO_ENABLED=1 and a C compiler")
}
