//go:build payload_program && !payload_cxx

package main

import (
	"errors"
	"slices"
)

// A codec is a Go library: it decodes into an order and encodes one, into memory that it
// may use again where it can.
type codec struct {
	order Order
	buf   []byte // room for messages
	out   []byte
}

var ways = map[string]func() (user, error){"go": func() (user, error) { return &codec{}, nil }}

func (c *codec) room(n int) ([]byte, error) {
	c.buf = slices.Grow(c.buf[:0], n+slack)
	return c.buf[:n], nil
}

func (c *codec) do(in []byte) ([]byte, error) {
	c.order.reset()
	if err := c.decode(in); err != nil {
		return nil, err
	}
	c.order.answer()
	err := c.encode()
	return c.out, err
}

// reset makes o ready to be decoded into again, with the memory that it has.
func (o *Order) reset() {
	items := o.Items[:cap(o.Items)]
	clear(items)
	*o = Order{Items: items[:0]}
}

func (c *codec) close() error { return nil }

func partOf(order, *bench) (func(int) error, error) {
	return nil, errors.New("a Go library has no parts")
}
