// Package streaming declares what generated code needs of the package of this name.
package streaming

import "context"

type Stream interface {
	Context() context.Context
	RecvMsg(m any) error
	SendMsg(m any) error
	Close() error
}

type WithDoFinish interface{ DoFinish(error) }

type Args struct{ Stream Stream }

type Result struct{ Stream Stream }

func GetStream(ctx context.Context) Stream { return nil }
