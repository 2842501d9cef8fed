//go:build !cgo || !linux

package cacheline

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func noC() error { return lab.NoC("C code of this experiment") }

func startCalls(*lab.Bench, string, int, set) (*lab.Op, error) { return nil, noC() }
func setupThreads(sharing, string) (*lab.Op, error)            { return nil, noC() }
func probeLines(*lab.Bench, string, int) ([]lab.Metric, error) { return nil, noC() }
func probePlace(shape, placer string) ([]lab.Metric, error)    { return nil, noC() }
