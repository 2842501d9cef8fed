//go:build !linux || !cgo

package switches

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func setupNoneC(int) (*lab.Op, error)   { return nil, withoutC() }
func setupProcess(int) (*lab.Op, error) { return nil, withoutC() }
func setupThread(int) (*lab.Op, error)  { return nil, withoutC() }
func setupFutex(int) (*lab.Op, error)   { return nil, withoutC() }

func withoutC() error { return lab.NoC("two parties are pinned to one CPU") }
