package barrier

import "github.com/seamgo/seam/cmd/seam/internal/lab"

// An object is what references lead to. It holds a pointer, so that the collector
// has to look into it.
type object struct {
	next *object
	_    [7]uint64
}

// A population is live Go objects, and the table that keeps them alive: the heap next
// to which references are measured.
type population struct {
	objects []*object
	numbers []uint64 // as many that refer to nothing
}

var populations lab.Shared[int, *population]

// populate returns n objects and what lets go of them. The cases of a group, all of which
// are set up at the same time, share them.
func populate(n int) (*population, func()) {
	return populations.Get(n, func() *population {
		p := &population{objects: make([]*object, n), numbers: make([]uint64, n)}
		for i := range p.objects {
			p.objects[i], p.numbers[i] = new(object), uint64(i+1)
		}
		return p
	})
}
