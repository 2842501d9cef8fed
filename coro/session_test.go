//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

func session(t *testing.T) *coro.Session {
	t.Helper()
	s := coro.NewSession()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// emptySession returns a session and what C has kept for its thread, which may have served others before.
func emptySession(t *testing.T) (*coro.Session, int64) {
	t.Helper()
	s := session(t)
	n, err := s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{}))
	if err != nil {
		t.Fatal(err)
	}
	return s, n
}

// What C keeps for its thread is there at the next call, from whatever goroutine it comes.
func TestSessionKeepsItsThread(t *testing.T) {
	s, before := emptySession(t)
	other, same := emptySession(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if _, err := s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{A: 1})); err != nil {
					t.Error(err)
				}
				if n, err := other.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{})); n != same || err != nil {
					t.Errorf("another session's thread has %d, %v, want %d", n, err, same)
				}
			}
		})
	}
	wg.Wait()
	if n, err := s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{})); n != before+800 || err != nil {
		t.Errorf("the thread has %d, %v, want %d", n, err, before+800)
	}
}

// Go that C has called is on the thread, and so are the calls that it makes.
func TestSessionInside(t *testing.T) {
	s, before := emptySession(t)
	var inner *coro.Registered
	inner = coro.RegisterContext(func(ctx context.Context, i *ctest.Item) error {
		if i.X >= 10 {
			return nil
		}
		_, err := s.Runner().Call(ctx, ctest.ThreadAdds, at(&ctest.Args{Func: inner.ID(), A: 1}))
		return err
	})
	defer inner.Free()
	if n, err := s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{Func: inner.ID(), A: 1})); n != before+10 || err != nil {
		t.Errorf("ten calls inside each other: %d, %v", n-before, err)
	}
	err := s.Do(t.Context(), func() {
		if n, err := s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{})); n != before+10 || err != nil {
			t.Errorf("in Do: %d, %v", n, err)
		}
		if err := s.Do(t.Context(), func() {}); err != nil {
			t.Error(err)
		}
		if s.Close() == nil {
			t.Error("the session was closed on its own thread")
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// A panic or Goexit goes on in the goroutine that called, and the session with it.
func TestSessionSurvives(t *testing.T) {
	s, before := emptySession(t)
	fallback := coro.Status().Path != coro.PathAssembly
	adds := func(want int64) {
		t.Helper()
		if n, err := s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{A: 1})); n != before+want || err != nil {
			t.Errorf("%d, %v, want %d", n, err, want)
		}
	}
	ended := func(f func()) (panicked any, exited bool) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			exited = true
			defer func() {
				if panicked = recover(); panicked != nil {
					exited = false
				}
			}()
			f()
			exited = false
		}()
		<-done
		return panicked, exited
	}
	bomb := coro.Register(func(*ctest.Item) { panic("bomb") })
	defer bomb.Free()
	exit := coro.Register(func(*ctest.Item) { runtime.Goexit() })
	defer exit.Free()
	adds(1)
	want := int64(2)
	for _, f := range []struct {
		name   string
		run    func()
		panics bool
		adds   int64
	}{
		{"panic in a call", func() { s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{Func: bomb.ID()})) }, true, 0},
		{"panic in Do", func() { s.Do(t.Context(), func() { panic("bomb") }) }, true, 0},
		{"Goexit in a call", func() { s.Runner().Call(t.Context(), ctest.ThreadAdds, at(&ctest.Args{Func: exit.ID()})) }, false, 0},
		{"Goexit in Do", func() { s.Do(t.Context(), runtime.Goexit) }, false, 0},
		{"panic in a loop", func() {
			for range coro.Generate[ctest.Item](s.Runner(), ctest.Count, at(&ctest.Args{N: 10})).Values(t.Context()) {
				panic("bomb")
			}
		}, true, 0},
		{"Goexit in a loop", func() {
			for range coro.Generate[ctest.Item](s.Runner(), ctest.Count, at(&ctest.Args{N: 10})).Values(t.Context()) {
				runtime.Goexit()
			}
		}, false, 0},
	} {
		if fallback && f.name == "Goexit in a call" {
			continue // as in a cgo callback, it leaves C behind
		}
		panicked, exited := ended(f.run)
		if f.panics && panicked != "bomb" || !f.panics && !exited {
			t.Errorf("%s: panic %v, Goexit %v", f.name, panicked, exited)
		}
		adds(want)
		want++
	}
}

func TestSessionClosed(t *testing.T) {
	s := coro.NewSession()
	busy, free, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { done <- s.Do(t.Context(), func() { close(busy); <-free }) }()
	<-busy
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("no time")
	cancel(cause)
	if err := s.Do(ctx, func() { t.Error("it ran") }); !errors.Is(err, cause) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := s.Runner().Call(ctx, ctest.Return, at(&ctest.Args{})); !errors.Is(err, cause) {
		t.Errorf("a context that has ended: %v", err)
	}
	close(free)
	if err := <-done; err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Do(t.Context(), func() { t.Error("it ran") }); !errors.Is(err, coro.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := s.Runner().Call(t.Context(), ctest.Return, at(&ctest.Args{})); !errors.Is(err, coro.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
