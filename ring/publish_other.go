//go:build !linux

package ring

import (
	"context"
	"runtime"
)

// A Publisher is for Linux.
type Publisher struct{}

// Publish returns [ErrUnsupported].
func Publish(string, PublishOptions) (*Publisher, error) {
	return nil, wrap(ErrUnsupported, "publishing needs memfd_create, which %s doesn't have", runtime.GOOS)
}

// Send isn't reached: there is no Publisher.
func (*Publisher) Send([]byte) error { return ErrUnsupported }

// Append isn't reached.
func (*Publisher) Append([]byte) error { return ErrUnsupported }

// Flush isn't reached.
func (*Publisher) Flush() error { return ErrUnsupported }

// Subscribers isn't reached.
func (*Publisher) Subscribers() int { return 0 }

// Number isn't reached.
func (*Publisher) Number() uint64 { return 0 }

// Close isn't reached.
func (*Publisher) Close() error { return ErrUnsupported }

// Abort isn't reached.
func (*Publisher) Abort() error { return ErrUnsupported }

// A Subscriber is for Linux.
type Subscriber struct{}

// Subscribe returns [ErrUnsupported].
func Subscribe(context.Context, string, SubscribeOptions) (*Subscriber, error) {
	return nil, ErrUnsupported
}

// Next isn't reached: there is no Subscriber.
func (*Subscriber) Next(context.Context) (Publication, error) { return Publication{}, ErrUnsupported }

// Lost isn't reached.
func (*Subscriber) Lost() uint64 { return 0 }

// Close isn't reached.
func (*Subscriber) Close() error { return ErrUnsupported }
