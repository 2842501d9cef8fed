//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seamgo/seam/examples/internal/servers/usage"
)

// A blocked is a number of goroutines in BLPOP, each on a connection and a key of
// its own.
type blocked struct {
	before, during usage.Usage
	control        *Client // pushes
	popped         []string
	errs           []error
	waiting        sync.WaitGroup
	cancel         context.CancelFunc // ends the calls, in the modes that can
}

func key(i int) string { return fmt.Sprintf("seam:list:%d", i) }

// block starts n goroutines and returns when Redis says that all wait.
func block(ctx context.Context, m mode, host string, port, n int) (*blocked, error) {
	ctx, cancel := context.WithCancel(ctx)
	b := &blocked{popped: make([]string, n), errs: make([]error, n), cancel: cancel}
	fail := func(err error) (*blocked, error) {
		b.end()
		return nil, err
	}
	var err error
	if b.control, err = Dial(ctx, m, host, port); err != nil {
		return fail(err)
	}
	already, err := b.count(ctx)
	if err != nil {
		return fail(err)
	}
	if b.before, err = usage.Read(); err != nil {
		return fail(err)
	}
	failed := make(chan error, n)
	for i := range n {
		b.waiting.Go(func() {
			c, err := Dial(ctx, m, host, port)
			if err == nil {
				b.popped[i], err = c.BLPop(ctx, key(i))
				c.Close()
			}
			if b.errs[i] = err; err != nil {
				failed <- err
			}
		})
	}
	for {
		now, err := b.count(ctx)
		if err != nil {
			return fail(err)
		}
		if now-already >= n {
			break
		}
		select {
		case err := <-failed:
			return fail(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if b.during, err = usage.Read(); err != nil {
		return fail(err)
	}
	return b, nil
}

// count asks the server how many clients are blocked.
func (b *blocked) count(ctx context.Context) (int, error) {
	info, err := b.control.Do(ctx, "INFO", "clients")
	if err != nil {
		return 0, err
	}
	const field = "blocked_clients:"
	for line := range strings.Lines(info.(string)) {
		if n, ok := strings.CutPrefix(line, field); ok {
			return strconv.Atoi(strings.TrimSpace(n))
		}
	}
	return 0, fmt.Errorf("INFO has no %s", field)
}

func (b *blocked) memoryPerCall() float64 {
	return float64(b.during.Resident-b.before.Resident) / float64(len(b.popped))
}

// release pushes to every list, waits for the goroutines and checks that each got
// its own.
func (b *blocked) release(ctx context.Context) error {
	defer b.end()
	for i := range b.popped {
		if _, err := b.control.Do(ctx, "RPUSH", key(i), strconv.Itoa(i)); err != nil {
			return err
		}
	}
	b.waiting.Wait()
	if err := errors.Join(b.errs...); err != nil {
		return err
	}
	for i, got := range b.popped {
		if got != strconv.Itoa(i) {
			return fmt.Errorf("the goroutine that waits for %s got %q", key(i), got)
		}
	}
	return nil
}

// end cancels what still waits and frees the rest.
func (b *blocked) end() {
	b.cancel()
	if b.control != nil {
		b.control.Close()
	}
}
