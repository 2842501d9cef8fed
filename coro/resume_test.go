//go:build cgo

package coro_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

func TestResume(t *testing.T) {
	f := coro.Register(addOne)
	defer f.Free()
	args := &ctest.Args{Func: f.ID(), N: 3}
	co, err := coro.New(ctest.Upcalls, at(args), coro.Options{Name: "upcalls"})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []coro.Kind
	for {
		req, err := co.Resume(0)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, req.Kind)
		if req.Kind == coro.Done {
			break
		}
		if req.ID != f.ID() {
			t.Errorf("id %d", req.ID)
		}
		(*ctest.Item)(req.Pointer).Y = 7
	}
	if want := []coro.Kind{coro.Upcall, coro.Upcall, coro.Upcall, coro.Done}; !slices.Equal(kinds, want) || args.Sum != 21 {
		t.Errorf("requests %v, sum %d", kinds, args.Sum)
	}
	if _, err := co.Resume(0); !errors.Is(err, coro.ErrFinished) {
		t.Errorf("resume of a finished one: %v", err)
	}
	if err := co.Close(); err != nil {
		t.Error(err)
	}
}

func TestResumeMisused(t *testing.T) {
	if _, err := coro.New(nil, nil, coro.Options{}); !errors.Is(err, coro.ErrNoFunction) {
		t.Errorf("a nil function: %v", err)
	}
	if _, err := coro.New(ctest.Return, nil, coro.Options{StackSize: 9 << 20}); err == nil || !strings.Contains(err.Error(), "StackSize is 9437184: want 0 to 8388608 bytes") {
		t.Errorf("a stack too large: %v", err)
	}
	// Closed before it ran, and while it waits.
	co, err := coro.New(ctest.Count, at(&ctest.Args{N: 10}), coro.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := co.Close(); err != nil {
		t.Error(err)
	}
	if _, err := co.Resume(0); !errors.Is(err, coro.ErrClosed) {
		t.Errorf("resume of a closed one: %v", err)
	}
	args := &ctest.Args{N: 10}
	if co, err = coro.New(ctest.Count, at(args), coro.Options{}); err != nil {
		t.Fatal(err)
	}
	if req, err := co.Resume(0); err != nil || req.Kind != coro.Yield {
		t.Fatal(req, err)
	}
	if err := co.Close(); err != nil || args.Code != -4 || args.Cleaned != 1 {
		t.Errorf("close: %v, %+v", err, *args)
	}
	if err := co.Close(); err != nil {
		t.Error(err)
	}
	// Resumed by its own upcall.
	var self *coro.Coroutine
	f := coro.Register(func(*ctest.Item) {
		if _, err := self.Resume(0); !errors.Is(err, coro.ErrRunning) {
			t.Errorf("resume of a running one: %v", err)
		}
		if err := self.Close(); !errors.Is(err, coro.ErrRunning) {
			t.Errorf("close of a running one: %v", err)
		}
	})
	defer f.Free()
	if self, err = coro.New(ctest.Upcalls, at(&ctest.Args{Func: f.ID(), N: 1}), coro.Options{}); err != nil {
		t.Fatal(err)
	}
	for {
		req, err := self.Resume(0)
		if err != nil {
			t.Fatal(err)
		}
		if req.Kind == coro.Done {
			break
		}
		if _, err := self.Serve(); err != nil {
			t.Fatal(err)
		}
	}
}
