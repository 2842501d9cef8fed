//go:build !linux

package ring

import "context"

type doorbell struct{}

// NewDoorbell returns [ErrUnsupported].
func NewDoorbell() (*Doorbell, error) { return nil, ErrUnsupported }

// Next isn't reached: there is no Doorbell.
func (*doorbell) Next(context.Context) (*Conn, error) { return nil, ErrUnsupported }

// Close does nothing.
func (*doorbell) Close() error { return nil }

func (*doorbell) remove(*Conn) {}
