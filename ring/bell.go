package ring

import "context"

// chanBell wakes a goroutine of this process. A wake while nobody sleeps is kept, one.
type chanBell chan struct{}

func (b chanBell) wake() {
	select {
	case b <- struct{}{}:
	default:
	}
}

func (b chanBell) sleep(ctx context.Context, e *end) {
	if e.arm() {
		return
	}
	select {
	case <-b:
	case <-ctx.Done():
	}
}
