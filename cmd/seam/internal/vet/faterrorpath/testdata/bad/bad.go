// Package bad makes errors where it finds them.
package bad

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

// Decode is hot.
func (r *Reader) Decode(name string) (sum int, err error) { // want note "of this function's code make errors, and it takes 20.0 % of the profile's time"
	a, err := r.next()
	if err != nil {
		return 0, fmt.Errorf("record %d, field a of %s: %w", r.at, name, err)
	}
	b, err := r.next()
	if err != nil {
		return 0, fmt.Errorf("record %d, field b of %s: %w", r.at, name, err)
	}
	c, err := r.next()
	if err != nil {
		return 0, fmt.Errorf("record %d, field c of %s: %w", r.at, name, err)
	}
	d, err := r.next()
	if err != nil {
		return 0, fmt.Errorf("record %d, field d of %s: %w", r.at, name, err)
	}
	return a + b + c + d, nil
}

// Cold isn't.
func Cold(a int, name string) error {
	if a == 0 {
		return fmt.Errorf("record %d, field a of %s: %w", a, name, fmt.Errorf("is %d", a))
	}
	if a == 1 {
		return fmt.Errorf("record %d, field b of %s: %w", a, name, fmt.Errorf("is %d", a))
	}
	return nil
}
