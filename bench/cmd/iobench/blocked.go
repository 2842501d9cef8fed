//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// blockedTask is to wait in BLPOP in n goroutines; then to give them what they wait
// for or, if Cancel is set, to cancel them.
type blockedTask struct {
	Mode   string
	Host   string
	Port   int
	N      int
	Cancel bool
}

// blockedResult is what one process found.
type blockedResult struct {
	Threads  int   // with all blocked
	Resident int64 // bytes more than before, with the connections made

	// From cancel to the return of the call, one after another.
	P50, P99, Max time.Duration
}

// A call in BLPOP.
type blockedCall struct {
	cancel context.CancelFunc
	ended  chan time.Time
	err    error // read it after ended
}

func (t blockedTask) run() (blockedResult, error) {
	var r blockedResult
	debug.SetMaxThreads(1 << 20) // the limit of 10,000 is for programs that leak them
	call, err := newCaller(t.Mode)
	if err != nil {
		return r, err
	}
	control, err := dial(t.Host, t.Port)
	if err != nil {
		return r, err
	}
	defer control.close()
	clients, err := dialAll(t.Host, t.Port, t.N)
	if err != nil {
		return r, err
	}
	calls := make([]blockedCall, t.N)
	runtime.GC()
	_, before, err := usage()
	if err != nil {
		return r, err
	}
	for i := range calls {
		ctx, cancel := context.WithCancel(context.Background())
		calls[i] = blockedCall{cancel: cancel, ended: make(chan time.Time, 1)}
		go func() {
			calls[i].err = clients[i].blpop(ctx, call)
			calls[i].ended <- time.Now()
		}()
	}
	for {
		n, err := control.blocked()
		if err != nil {
			return r, err
		}
		if n >= t.N {
			break
		}
		time.Sleep(10 * time.Millisecond) // the parent's patience ends it
	}
	if r.Threads, r.Resident, err = usage(); err != nil {
		return r, err
	}
	r.Resident -= before
	if t.Cancel {
		err := cancelEach(&r, calls)
		return r, err
	}
	if err := control.push(t.N); err != nil {
		return r, err
	}
	for i := range calls {
		<-calls[i].ended
		if err := calls[i].err; err != nil {
			return r, err
		}
	}
	return r, nil
}

// cancelEach cancels one call after another and notes how long each takes to return.
func cancelEach(r *blockedResult, calls []blockedCall) error {
	took := make([]time.Duration, len(calls))
	for i := range calls {
		start := time.Now()
		calls[i].cancel()
		took[i] = (<-calls[i].ended).Sub(start)
		if err := calls[i].err; !errors.Is(err, context.Canceled) {
			return fmt.Errorf("a cancelled call returned %v", err)
		}
	}
	slices.Sort(took)
	r.P50, r.P99, r.Max = took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
	return nil
}
