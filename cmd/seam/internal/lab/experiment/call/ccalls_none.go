//go:build !cgo || !linux

package call

import "github.com/seamgo/seam/cmd/seam/internal/lab"

func noC() (*lab.Op, error) { return nil, lab.NoC("C code of this experiment") }

func cgoAdd() (*lab.Op, error)           { return noC() }
func cgoAddAt() (*lab.Op, error)         { return noC() }
func cgoAddAtNoescape() (*lab.Op, error) { return noC() }
func leafAdd() (*lab.Op, error)          { return noC() }
func leafEmpty() (*lab.Op, error)        { return noC() }
func leafStruct() (*lab.Op, error)       { return noC() }
func leafWrapped() (*lab.Op, error)      { return noC() }
