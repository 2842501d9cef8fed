//go:build !cgo || !unix

package callback

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func setupExport() (*lab.Op, error)              { return nil, withoutC() }
func setupBare() (*lab.Op, error)                { return nil, withoutC() }
func setupExportBatch() (*lab.Op, error)         { return nil, withoutC() }
func setupExportChannel() (*lab.Op, error)       { return nil, withoutC() }
func setupThread() (*lab.Op, error)              { return nil, withoutC() }
func setupUpcall(string) (*lab.Op, error)        { return nil, withoutC() }
func setupUpcallBatch() (*lab.Op, error)         { return nil, withoutC() }
func setupUpcallChannel(string) (*lab.Op, error) { return nil, withoutC() }

func withoutC() error {
	return lab.Skip("needs cgo and a system with POSIX threads; build with CGO_ENABLED=1 and a C compiler")
}
