package barrier

import "sync"

// An object is what references lead to. It holds a pointer, so that the collector
// has to look into it.
type object struct {
	next *object
	_    [7]uint64
}

// A world is Go objects that live, and the table that keeps them: the heap beside
// which references are measured.
type world struct {
	objects []*object
	numbers []uint64 // as many that refer to nothing
	users   int
}

// worlds are shared by the cases of a group, all of which are set up at the same time.
var worlds struct {
	sync.Mutex
	of map[int]*world
}

// enter returns a world of n objects, and what leaves it. The last to leave takes the
// objects along.
func enter(n int) (*world, func()) {
	worlds.Lock()
	defer worlds.Unlock()
	w := worlds.of[n]
	if w == nil {
		w = &world{objects: make([]*object, n), numbers: make([]uint64, n)}
		for i := range w.objects {
			w.objects[i], w.numbers[i] = new(object), uint64(i+1)
		}
		if worlds.of == nil {
			worlds.of = map[int]*world{}
		}
		worlds.of[n] = w
	}
	w.users++
	return w, sync.OnceFunc(func() {
		worlds.Lock()
		defer worlds.Unlock()
		if w.users--; w.users == 0 {
			delete(worlds.of, n)
		}
	})
}
