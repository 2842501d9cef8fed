//go:build !linux || !cgo

package rings

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func haveC() error { return lab.NoC("rings between processes") }

func betweenThreads(int, string) (*wire, error) { return nil, lab.NoC("the header is for Linux") }
