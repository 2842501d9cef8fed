// Package good makes errors elsewhere.
package good

import (
	"errors"
	"fmt"
)

// Reader reads.
type Reader struct{ at int }

//go:noinline
func (r *Reader) next() (int, error) {
	if r.at++; r.at > 100 {
		return 0, errors.New("too far")
	}
	return r.at, nil
}

//go:noinline
func (r *Reader) wrap(field, name string, err error) error {
	return fmt.Errorf("record %d, field %s of %s: %w", r.at, field, name, err)
}

// Decode is hot.
func (r *Reader) Decode(name string) (sum int, err error) {
	a, err := r.next()
	if err != nil {
		return 0, r.wrap("a", name, err)
	}
	b, err := r.next()
	if err != nil {
		return 0, r.wrap("b", name, err)
	}
	return a + b, nil
}
