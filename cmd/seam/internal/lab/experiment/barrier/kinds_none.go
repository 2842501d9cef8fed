//go:build !cgo

package barrier

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func withoutC() error {
	return lab.Skip("built without cgo: C is what owns or holds it; build with CGO_ENABLED=1 and a C compiler")
}

func openC(*world, int) (table, error)       { return nil, withoutC() }
func openOpaque(*world, int) (table, error)  { return nil, withoutC() }
func openUintptr(*world, int) (table, error) { return nil, withoutC() }
func openNumbers(*world, int) (table, error) { return nil, withoutC() }
func openPinned(*world, int) (table, error)  { return nil, withoutC() }

func holdC(*world, int) (holder, error)          { return nil, withoutC() }
func holdOpaque(*world, int) (holder, error)     { return nil, withoutC() }
func holdUintptr(*world, int) (holder, error)    { return nil, withoutC() }
func holdCgoHandles(*world, int) (holder, error) { return nil, withoutC() }
func holdMemHandles(*world, int) (holder, error) { return nil, withoutC() }
func holdPins(*world, int) (holder, error)       { return nil, withoutC() }
func holdPinAll(*world, int) (holder, error)     { return nil, withoutC() }
func holdBuffers(*world, int) (holder, error)    { return nil, withoutC() }
