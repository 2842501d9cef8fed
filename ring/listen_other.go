//go:build !linux

package ring

import "context"

// A Listener is for Linux.
type Listener struct{}

// Listen returns [ErrUnsupported].
func Listen(string, Options) (*Listener, error) { return nil, ErrUnsupported }

// Accept isn't reached: there is no Listener.
func (*Listener) Accept(context.Context) (*Conn, error) { return nil, ErrUnsupported }

// Close isn't reached.
func (*Listener) Close() error { return ErrUnsupported }

// Dial returns [ErrUnsupported].
func Dial(context.Context, string, Options) (*Conn, error) { return nil, ErrUnsupported }
