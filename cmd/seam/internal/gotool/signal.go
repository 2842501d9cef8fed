package gotool

import (
	"context"
	"errors"
	"os"
)

// A Signal is the cause with which a context ends when this process was asked to end:
// what it has started for the user shall be asked the same.
type Signal struct{ os.Signal }

func (s Signal) Error() string { return "signal: " + s.Signal.String() }

// SignalOf is the signal for which a context has ended; an interrupt if it ended
// otherwise.
func SignalOf(ctx context.Context) os.Signal {
	var s Signal
	if errors.As(context.Cause(ctx), &s) {
		return s.Signal
	}
	return os.Interrupt
}
