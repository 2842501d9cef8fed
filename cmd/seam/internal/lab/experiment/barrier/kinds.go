package barrier

// chunk is how many references are dropped and made at a time.
const chunk = 10

// A column is a table of values of one type, and what is stored there. Whether the
// compiler puts a write barrier before the store follows from the type alone, not from
// where the slots are.
type column[T any] struct {
	slots  []T
	values []T
	at     int    // of renew
	free   func() // may be nil
}

// store is not inlined, so that all kinds have the same loop.
//
//go:noinline
func (c *column[T]) store(n int) {
	for n > 0 {
		m := min(n, len(c.slots))
		slots, values := c.slots[:m], c.values[:m]
		for i := range slots {
			slots[i] = values[i]
		}
		n -= m
	}
}

//go:noinline
func (c *column[T]) renew(n int) {
	for n > 0 {
		m := min(n, chunk, len(c.slots)-c.at)
		slots, values := c.slots[c.at:c.at+m], c.values[c.at:c.at+m]
		clear(slots)
		for i := range slots {
			slots[i] = values[i]
		}
		c.at = (c.at + m) % len(c.slots)
		n -= m
	}
}

func (c *column[T]) close() {
	c.slots, c.values = nil, nil
	if c.free != nil {
		c.free()
	}
}

func openNone(live *population, n int) (table, error) {
	return &column[uint64]{slots: make([]uint64, n), values: live.numbers[:n]}, nil
}

func holdNone(live *population, n int) (holder, error) {
	return filled(&column[uint64]{slots: make([]uint64, n), values: live.numbers[:n]}), nil
}

func openGo(live *population, n int) (table, error) {
	return &column[*object]{slots: make([]*object, n), values: live.objects[:n]}, nil
}

func holdGo(live *population, n int) (holder, error) {
	return filled(&column[*object]{slots: make([]*object, n), values: live.objects[:n]}), nil
}

// filled stores each value once.
func filled[T any](c *column[T]) *column[T] {
	copy(c.slots, c.values)
	return c
}
