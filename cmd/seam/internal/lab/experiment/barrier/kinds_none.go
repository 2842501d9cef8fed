//go:build !cgo

package barrier

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func withoutC() error { return lab.NoC("") }

func openC(*population, int) (table, error)       { return nil, withoutC() }
func openOpaque(*population, int) (table, error)  { return nil, withoutC() }
func openUintptr(*population, int) (table, error) { return nil, withoutC() }
func openNumbers(*population, int) (table, error) { return nil, withoutC() }
func openPinned(*population, int) (table, error)  { return nil, withoutC() }

func holdC(*population, int) (holder, error)          { return nil, withoutC() }
func holdOpaque(*population, int) (holder, error)     { return nil, withoutC() }
func holdUintptr(*population, int) (holder, error)    { return nil, withoutC() }
func holdCgoHandles(*population, int) (holder, error) { return nil, withoutC() }
func holdMemHandles(*population, int) (holder, error) { return nil, withoutC() }
func holdPins(*population, int) (holder, error)       { return nil, withoutC() }
func holdPinAll(*population, int) (holder, error)     { return nil, withoutC() }
func holdBuffers(*population, int) (holder, error)    { return nil, withoutC() }
