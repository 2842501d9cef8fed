//go:build cgo && unix

package offload_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

func TestClose(t *testing.T) {
	p := start(t, offload.Options{Threads: 2, Queue: 2, Name: "closing"})
	g, running := occupy(t, p, 2)
	var refused []<-chan outcome
	args := &ctest.Add{A: 1}
	for range 2 {
		refused = append(refused, begin(background, p, ctest.AddFn, unsafe.Pointer(args)))
	}
	eventually(t, "two calls are queued", func() bool { return p.Stats().Queued == 2 })
	refused = append(refused, begin(background, p, ctest.AddFn, unsafe.Pointer(args)))
	eventually(t, "one waits for room", func() bool { return p.Stats().Waiting == 1 })

	ctx, cancel := context.WithCancelCause(background)
	cancel(errOver)
	err := p.Close(ctx)
	if !errors.Is(err, errOver) || !strings.Contains(err.Error(), "pool closing: 2 calls are still in C") {
		t.Errorf("Close of a busy pool returned %v", err)
	}
	for _, end := range refused {
		want(t, end, 0, offload.ErrClosed)
	}
	if _, err := p.Do(background, ctest.AddFn, unsafe.Pointer(args)); err != offload.ErrClosed {
		t.Errorf("Do of a closing pool returned %v", err)
	}
	if _, err := p.TryDo(background, ctest.AddFn, unsafe.Pointer(args)); err != offload.ErrClosed {
		t.Errorf("TryDo of a closing pool returned %v", err)
	}
	if args.Sum != 0 {
		t.Error("a call was made after Close")
	}
	g.open()
	for _, end := range running {
		want(t, end, 0, nil)
	}
	closeNow(t, p)
	closeNow(t, p)
	if err := p.Close(ctx); err != nil {
		t.Errorf("Close of a closed pool returned %v", err)
	}
	if _, err := p.Do(background, ctest.AddFn, unsafe.Pointer(args)); err != offload.ErrClosed {
		t.Errorf("Do of a closed pool returned %v", err)
	}
	if s := p.Stats(); s.Name != "closing" || s.Threads != 0 || s.Busy != 0 || s.Done != 2 || s.Rejected != 6 {
		t.Errorf("at the end the figures are %v", s)
	}
}

// Calls come from all sides while the pool closes: each is made whole or not at all.
func TestCloseUnderLoad(t *testing.T) {
	for range 30 {
		if t.Failed() {
			return // each round may take all of its patience
		}
		p := start(t, offload.Options{Threads: 3, Queue: 5})
		var wg sync.WaitGroup
		for id := range int64(20) {
			wg.Go(func() {
				for i := int64(0); ; i++ {
					args := &ctest.Add{A: id, B: i}
					got, err := p.Do(background, ctest.AddFn, unsafe.Pointer(args))
					if err == offload.ErrClosed && args.Sum == 0 {
						return
					}
					if err != nil || got != id+i || args.Sum != got {
						t.Errorf("Do returned %d, %v and C left %d", got, err, args.Sum)
						return
					}
				}
			})
		}
		eventually(t, "calls are made", func() bool { return p.Stats().Done > 50 })
		for range 2 {
			wg.Go(func() { closeNow(t, p) })
		}
		wg.Wait()
	}
}
