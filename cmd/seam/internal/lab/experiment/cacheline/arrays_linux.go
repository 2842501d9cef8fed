//go:build cgo

package cacheline

import (
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
)

// arrays are those of the cases of a group.
var arrays lab.Shared[arrayKey, *array]

type arrayKey struct {
	shape  string
	layout int
	place  string
}

// cacheL2 is the size of the L2 cache in bytes, a usual one where it is not told.
var cacheL2 = sync.OnceValue(func() int {
	if n := machine.Read().CacheL2; n > 0 {
		return n
	}
	return 1 << 20
})
