//go:build cgo

package cacheline

import (
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/machine"
)

// A library lends arrays to the cases of a group: a case's two arms are to find the same
// memory, and there may be little of it.
type library struct {
	mu   sync.Mutex
	lent map[key]*loan
}

type key struct {
	shape  string
	layout int
	place  string
}

type loan struct {
	*array
	users int
}

var shelf = library{lent: map[key]*loan{}}

// borrow returns the array of a key, which make makes where nobody has it.
func (l *library) borrow(k key, make func() *array) (a *array, release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.lent[k]
	if x == nil {
		x = &loan{array: make()}
		l.lent[k] = x
	}
	x.users++
	return x.array, sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if x.users--; x.users == 0 {
			delete(l.lent, k)
		}
	})
}

// cacheL2 is the size of the L2 cache in bytes, a usual one where it is not told.
var cacheL2 = sync.OnceValue(func() int {
	if n := machine.Read().CacheL2; n > 0 {
		return n
	}
	return 1 << 20
})
