package lab

import "sync"

// Shared lends values to the cases of a group by key: all of them, and both arms of a
// base, find the same memory. A value lives while somebody has it. The zero Shared is
// ready.
type Shared[K comparable, V any] struct {
	mu   sync.Mutex
	lent map[K]*sharedValue[V]
}

type sharedValue[V any] struct {
	value V
	users int
}

// Get returns the value of a key, which it makes if nobody has it, and what gives it back.
func (s *Shared[K, V]) Get(k K, make func() V) (value V, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.lent[k]
	if x == nil {
		if s.lent == nil {
			s.lent = map[K]*sharedValue[V]{}
		}
		x = &sharedValue[V]{value: make()}
		s.lent[k] = x
	}
	x.users++
	return x.value, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if x.users--; x.users == 0 {
			delete(s.lent, k)
		}
	})
}

// Len is how many values somebody has.
func (s *Shared[K, V]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lent)
}
