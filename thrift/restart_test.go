package thrift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seamgo/seam/internal/testenv"
)

// Servers shut down and come back all the time, under 16 callers, and no call is lost where callers can be told. SEAM_RESTARTS
// is the number of restarts.
func TestRestartsLoseNoCalls(t *testing.T) {
	restarts := 8
	if n, err := strconv.Atoi(os.Getenv("SEAM_RESTARTS")); err == nil {
		restarts = n
	}
	for _, c := range []struct {
		name    string
		servers int
		caller  func(t *testing.T, addresses []string) Caller
		lost    int64 // calls a restart, at most
	}{
		{"pool/framed", 2, restartPool(Framed), 0},
		{"pool/TTHeader", 2, restartPool(TTHeader), 0},
		{"pool/THeader", 2, restartPool(THeader), 0},
		{"pool of one/TTHeader", 1, restartPool(TTHeader), 0},
		{"pipeline/TTHeader", 1, restartPipeline(TTHeader), 0},
		{"pipeline/THeader", 1, restartPipeline(THeader), 0},
		// Nothing tells these callers whether a call was read: those under way fail, and no others.
		{"pipeline/framed", 1, restartPipeline(Framed), 16},
	} {
		t.Run(c.name, func(t *testing.T) { testRestarts(t, c.servers, restarts, c.caller, c.lost) })
	}
}

func restartPool(f Framing) func(t *testing.T, addresses []string) Caller {
	return func(t *testing.T, addresses []string) Caller {
		return pool(t, PoolOptions{Addresses: addresses, DialTimeout: 30 * time.Second, Conn: ConnOptions{Framing: f}})
	}
}

func restartPipeline(f Framing) func(t *testing.T, addresses []string) Caller {
	return func(t *testing.T, addresses []string) Caller {
		return pipeline(t, PipelineOptions{Address: addresses[0], DialTimeout: 30 * time.Second, Conn: ConnOptions{Framing: f}})
	}
}

func testRestarts(t *testing.T, servers, restarts int, caller func(*testing.T, []string) Caller, most int64) {
	noLeaks(t)
	var handled atomic.Int64
	processor := functions{"echo": func(_ context.Context, s string) (string, error) {
		handled.Add(1)
		return s, nil
	}}
	type running struct {
		*Server
		address string
		served  chan error
	}
	begin := func(address string) running {
		var l net.Listener
		var err error
		for range 500 {
			if l, err = net.Listen("tcp", address); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := running{&Server{Processor: processor, Logger: new(logLines).logger()}, l.Addr().String(), make(chan error, 1)}
		go func() { s.served <- s.Serve(l) }()
		return s
	}
	var list []running
	var addresses []string
	for range servers {
		list = append(list, begin(testenv.Loopback()+":0"))
		addresses = append(addresses, list[len(list)-1].address)
	}
	c := caller(t, addresses)
	var stop atomic.Bool
	var wg sync.WaitGroup
	var calls, lost atomic.Int64
	for i := range 16 {
		wg.Go(func() {
			for n := 0; !stop.Load(); n++ {
				text := fmt.Sprint(i, n)
				got, err := call(t.Context(), c, "echo", text)
				calls.Add(1)
				if got != text || err != nil {
					if lost.Add(1) < 5 && most == 0 {
						t.Errorf("%q, %v", got, err)
					}
				}
			}
		})
	}
	for i := range restarts {
		time.Sleep(20 * time.Millisecond)
		x := &list[i%servers]
		if err := x.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-x.served; err != ErrServerClosed {
			t.Error(err)
		}
		*x = begin(x.address)
	}
	stop.Store(true)
	wg.Wait()
	for _, x := range list {
		_ = x.Close()
		if err := x.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		<-x.served
	}
	if lost.Load() > most*int64(restarts) {
		t.Errorf("%d of %d calls were lost in %d restarts", lost.Load(), calls.Load(), restarts)
	}
	if n, m := handled.Load(), calls.Load(); n > m || n < m-lost.Load() {
		t.Errorf("%d calls were handled %d times", m, n)
	}
	t.Logf("%d calls in %d restarts, %d lost", calls.Load(), restarts, lost.Load())
}

// A connection that a server's listener has taken and that nobody accepts is ended with the listener: no call
// may be on it.
func TestNobodyAccepts(t *testing.T) {
	for _, f := range []Framing{TTHeader, THeader} {
		for name, caller := range map[string]func(*testing.T, []string) Caller{"pool": restartPool(f), "pipeline": restartPipeline(f)} {
			s := &Server{Processor: echo}
			address := serve(t, s)
			c := caller(t, []string{address})
			if _, err := call(t.Context(), c, "echo", "x"); err != nil {
				t.Fatal(err)
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			l, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			answered := make(chan error, 1)
			go func() {
				_, err := call(t.Context(), c, "echo", "y")
				answered <- err
			}()
			for i := 0; i < 1000 && !waits(l); i++ { // it can't be seen on each system
				time.Sleep(time.Millisecond)
			}
			time.Sleep(50 * time.Millisecond) // for a call that is wrongly sent
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if l, err = net.Listen("tcp", address); err != nil {
				t.Fatal(err)
			}
			again := &Server{Processor: echo}
			go func() { _ = again.Serve(l) }()
			if err := <-answered; err != nil {
				t.Errorf("%v, %s: %v", f, name, err)
			}
			if n := again.Stats().Calls; n != 1 {
				t.Errorf("%v, %s: %d calls were counted", f, name, n)
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Shutdown returns when the listener is closed, also where Accept returns before Close does: who
// listens there next would find the address in use.
func TestShutdownClosesListeners(t *testing.T) {
	s := &Server{Processor: echo, Logger: new(logLines).logger()}
	l := &slowListener{closes: make(chan struct{}), goOn: make(chan struct{})}
	served, over := make(chan error, 1), make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	for {
		s.mu.Lock()
		n := len(s.listeners)
		s.mu.Unlock()
		if n > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	go func() { over <- s.Shutdown(t.Context()) }()
	<-l.closes
	select {
	case err := <-over:
		t.Errorf("Shutdown returned while the listener was being closed: %v", err)
		over <- err
	case <-time.After(50 * time.Millisecond):
	}
	close(l.goOn)
	if err := <-over; err != nil {
		t.Error(err)
	}
	if err := <-served; err != ErrServerClosed {
		t.Error(err)
	}
}

// A slowListener takes its time to close; a second Close returns at once, as that of package net.
type slowListener struct {
	net.Listener
	once         sync.Once
	closes, goOn chan struct{}
}

func (l *slowListener) Accept() (net.Conn, error) {
	<-l.closes
	return nil, net.ErrClosed
}

func (l *slowListener) Close() error {
	first := false
	if l.once.Do(func() { first = true }); !first {
		return net.ErrClosed
	}
	close(l.closes)
	<-l.goOn
	return nil
}

func (l *slowListener) Addr() net.Addr { return &net.TCPAddr{} }

// A call that crosses the end of its connection was surely not read, if the server has said so.
func TestACallThatCrossesTheEnd(t *testing.T) {
	for _, f := range []Framing{TTHeader, THeader} {
		s := &Server{Processor: echo, Quiet: time.Millisecond}
		c := dial(t, serve(t, s), f, Binary)
		if _, err := call(t.Context(), c, "echo", "x"); err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		var conn *serverConn
		for conn = range s.conns {
		}
		s.mu.Unlock()
		over := make(chan error, 1)
		go func() { over <- s.Shutdown(t.Context()) }()
		for conn.state.Load() != closed {
			time.Sleep(time.Millisecond)
		}
		if _, err := call(t.Context(), c, "echo", "x"); !errors.Is(err, ErrNotSent) {
			t.Errorf("%v: %v", f, err)
		}
		if err := <-over; err != nil {
			t.Error(err)
		}
		if n := s.Stats().Calls; n != 1 {
			t.Errorf("%v: %d calls were handled", f, n)
		}
	}
}

// It is told so where the server has found the call before it could say farewell.
func TestACallThatOvertakesTheFarewell(t *testing.T) {
	for _, f := range []Framing{TTHeader, THeader} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &Server{Processor: echo, Quiet: time.Hour}
		accepted := &heldFarewell{writes: make(chan struct{}), goOn: make(chan struct{})}
		served := make(chan struct{})
		go func() {
			defer close(served)
			if conn, err := l.Accept(); err != nil {
				t.Error(err)
			} else {
				accepted.TCPConn = conn.(*net.TCPConn)
				_ = s.ServeConn(accepted)
			}
		}()
		c := dial(t, l.Addr().String(), f, Binary)
		if _, err := call(t.Context(), c, "echo", "x"); err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		var conn *serverConn
		for conn = range s.conns {
		}
		s.mu.Unlock()
		for conn.state.Load() != idle {
			time.Sleep(time.Millisecond)
		}
		before := conn.activity.Load()
		go conn.closeIfIdle()
		<-accepted.writes
		answered := make(chan error, 1)
		go func() {
			_, err := call(t.Context(), c, "echo", "x")
			answered <- err
		}()
		for conn.activity.Load() == before {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond) // for a connection that is wrongly closed
		close(accepted.goOn)
		if err := <-answered; !errors.Is(err, ErrNotSent) {
			t.Errorf("%v: %v", f, err)
		}
		if n := s.Stats().Calls; n != 1 {
			t.Errorf("%v: %d calls were handled", f, n)
		}
		_ = c.Close()
		_ = s.Close()
		_ = l.Close()
		<-served
	}
}

// A heldFarewell has a farewell wait.
type heldFarewell struct {
	*net.TCPConn
	writes, goOn chan struct{}
}

func (c *heldFarewell) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(goesAway)) {
		close(c.writes)
		<-c.goOn
	}
	return c.TCPConn.Write(b)
}

// A call of a pipeline that finds each connection gone again before it has seen it, as on a busy
// machine, waits on while the server may be expected back.
func TestConnectionsThatWereMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{Processor: echo}
		p, err := NewPipeline(PipelineOptions{Address: "nowhere", Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() { _ = s.ServeConn(server) }()
			return client, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		made := make(chan struct{}) // as if a connection were being made
		p.dialling = made
		answered := make(chan error, 1)
		go func() {
			_, err := call(t.Context(), p, "echo", "x")
			answered <- err
		}()
		for left := 2; left >= 0; left-- {
			synctest.Wait() // until the call waits for it
			p.mu.Lock()
			close(made)
			p.left, p.dialling = time.Now(), nil
			if left > 0 {
				made = make(chan struct{})
				p.dialling = made
			}
			p.mu.Unlock()
		}
		if err := <-answered; err != nil {
			t.Error(err)
		}
		_ = p.Close()
		_ = s.Close()
	})
}

// A client that doesn't read between its calls, as a pool's, doesn't see the end of its connection
// and keeps it open. Shutdown doesn't wait for it.
func TestShutdownOfIdlePools(t *testing.T) {
	for _, f := range []Framing{Framed, TTHeader, THeader} {
		s := &Server{Processor: echo, Quiet: time.Millisecond}
		c := pool(t, PoolOptions{Addresses: []string{serve(t, s)}, Conn: ConnOptions{Framing: f}})
		if _, err := call(t.Context(), c, "echo", "x"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("%v: %v, with %+v", f, err, s.Stats())
		}
		cancel()
	}
}
