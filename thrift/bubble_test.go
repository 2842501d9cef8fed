package thrift

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// sleeps answers after the time that it is asked for, or when the caller has given up.
var sleeps = functions{
	"echo": echo["echo"],
	"sleep": func(ctx context.Context, s string) (string, error) {
		d, err := time.ParseDuration(s)
		if err != nil {
			return "", err
		}
		select {
		case <-time.After(d):
			return s, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	},
}

// A listener of connections in memory, which a bubble's clock knows of.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newListener() *listener {
	return &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return nil }

func (l *listener) dial(o ConnOptions) *Client {
	client, server := net.Pipe()
	l.conns <- server
	return NewClient(NewConn(client, o), ClientOptions{})
}

// Over connections in memory, servers and clients work in bubbles of testing/synctest, and
// all their times are the bubble's.
func TestBubble(t *testing.T) {
	for range 2 { // what the first bubble has left behind is not the second's
		synctest.Test(t, func(t *testing.T) {
			l := newListener()
			s := &Server{Processor: sleeps, IdleTimeout: 2 * time.Hour, Logger: new(logLines).logger()}
			served := make(chan error, 1)
			go func() { served <- s.Serve(l) }()
			took := func(f func()) time.Duration {
				start := time.Now()
				f()
				return time.Since(start)
			}

			patient := l.dial(ConnOptions{})
			done := make(chan error)
			for range 3 { // which take turns
				go func() {
					_, err := call(t.Context(), patient, "sleep", "30m")
					done <- err
				}()
			}
			if d := took(func() {
				for range 3 {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
			}); d != 90*time.Minute {
				t.Errorf("three calls that take half an hour took %v", d)
			}

			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			hasty := l.dial(ConnOptions{})
			if d := took(func() {
				if _, err := call(ctx, hasty, "sleep", "1h"); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("with a deadline: %v", err)
				}
			}); d != time.Minute {
				t.Errorf("the deadline came after %v", d)
			}
			limited := l.dial(ConnOptions{ReadTimeout: time.Second})
			if d := took(func() {
				if _, err := call(t.Context(), limited, "sleep", "1h"); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("with a timeout: %v", err)
				}
			}); d != time.Second {
				t.Errorf("the timeout came after %v", d)
			}

			idle, server := net.Pipe()
			l.conns <- server
			if d := took(func() {
				if _, err := idle.Read(make([]byte, 1)); err != io.EOF {
					t.Errorf("an idle connection: %v", err)
				}
			}); d < 2*time.Hour || d > 2*time.Hour+15*time.Minute { // an eighth more
				t.Errorf("an idle connection was closed after %v", d)
			}

			last := l.dial(ConnOptions{})
			go func() {
				_, err := call(t.Context(), last, "sleep", "5m")
				done <- err
			}()
			synctest.Wait() // until the call is under way
			if d := took(func() {
				if err := s.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			}); d < 5*time.Minute || d > 5*time.Minute+time.Second {
				t.Errorf("Shutdown took %v", d)
			}
			if err := <-done; err != nil {
				t.Errorf("the call under way: %v", err)
			}
			if err := <-served; err != ErrServerClosed {
				t.Error(err)
			}
			for _, c := range []*Client{patient, hasty, limited, last} {
				_ = c.Close()
			}
		})
	}
}

// Sockets work in bubbles too: what waits for them goes by the system's clock.
func TestBubbleWithSockets(t *testing.T) {
	shared := dial(t, serve(t, &Server{Processor: echo}), Framed, Binary)
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			server := &Server{Processor: echo}
			served := make(chan error)
			go func() { served <- server.Serve(l) }()
			own := dial(t, l.Addr().String(), Buffered, Compact)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			for _, c := range []*Client{own, shared} {
				for range 10 {
					if s, err := call(ctx, c, "echo", "x"); s != "x" || err != nil {
						t.Errorf("%q, %v", s, err)
					}
				}
			}
			if _, err := call(ctx, NewClient(Local(&Server{Processor: echo}), ClientOptions{}), "echo", "x"); err != nil {
				t.Error(err)
			}
			_ = server.Close()
			if err := <-served; err != ErrServerClosed {
				t.Error(err)
			}
		})
		if s, err := call(t.Context(), shared, "echo", "x"); s != "x" || err != nil {
			t.Errorf("outside: %q, %v", s, err)
		}
	}
}
