package thrift

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seamgo/seam/internal/testenv"
)

// pool makes a pool for a test.
func pool(t testing.TB, opt PoolOptions) *Pool {
	t.Helper()
	p, err := NewPool(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.conns) != 0 || p.idle != 0 || p.dialing != 0 || len(p.turns) != 0 {
			t.Errorf("after Close: %d connections, %d idle, %d being made, %d calls", len(p.conns), p.idle, p.dialing, len(p.turns))
		}
		for _, b := range p.backends {
			if b.busy != 0 {
				t.Errorf("%s has %d calls after Close", b.address, b.busy)
			}
		}
	})
	return p
}

// open is how many connections a pool has.
func (p *Pool) open() (conns, idle int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns), p.idle
}

func TestAPoolNeedsAnAddress(t *testing.T) {
	_, err := NewPool(PoolOptions{})
	wantError(t, err, "PoolOptions.Addresses")
}

func TestAPoolServesManyCallers(t *testing.T) {
	address := serve(t, &Server{Processor: echo})
	eachWire(t, func(t *testing.T, f Framing, p Protocol) {
		pool := pool(t, PoolOptions{Addresses: []string{address}, MaxConns: 7, MaxIdle: 3, Conn: ConnOptions{Framing: f}, Client: ClientOptions{Protocol: p}})
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				for j := range 20 {
					text := fmt.Sprint("text ", i, j)
					if got, err := call(t.Context(), pool, "echo", text); got != text || err != nil {
						t.Errorf("%q, %v; want %q", got, err, text)
					}
					if conns, idle := pool.open(); conns > 7 || idle > 3 {
						t.Errorf("%d connections, %d idle; want 7 and 3 at most", conns, idle)
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestAPoolOfOneConnectionUsesItAgain(t *testing.T) {
	var accepted atomic.Int32
	address := serve(t, &Server{Processor: echo, BaseContext: func(net.Conn) context.Context {
		accepted.Add(1)
		return context.Background()
	}})
	p := pool(t, PoolOptions{Addresses: []string{address}})
	for range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // whose deadline the next call must not meet
		if got, err := call(ctx, p, "echo", "x"); got != "x" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
		_, err := call(t.Context(), p, "none", "x")
		wantException(t, err, UnknownMethod, "none")
		if err := p.Call(t.Context(), "echo", &note{bad: true}, new(note)); !errors.Is(err, errBadNote) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
	if n := accepted.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// A directory says where the servers of a test are: one that has come back may not get the
// port that it had.
type directory struct {
	mu sync.Mutex
	at map[string]string
}

var errNoServer = errors.New("no server")

func (d *directory) set(name, address string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at == nil {
		d.at = make(map[string]string)
	}
	d.at[name] = address
}

func (d *directory) dial(ctx context.Context, network, name string) (net.Conn, error) {
	d.mu.Lock()
	address := d.at[name]
	d.mu.Unlock()
	if address == "" {
		return nil, errNoServer
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// begin starts a server.
func (d *directory) begin(t *testing.T, name string, p Processor) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Processor: p, Logger: new(logLines).logger()}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close(); <-done })
	d.set(name, l.Addr().String())
	return s
}

// end ends a server and its connections.
func (d *directory) end(t *testing.T, name string, s *Server) {
	t.Helper()
	d.set(name, "")
	_ = s.Close()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAServerThatDiesAndComesBack(t *testing.T) {
	noLeaks(t)
	var d directory
	s := d.begin(t, "server", echo)
	p := pool(t, PoolOptions{Addresses: []string{"server"}, Dial: d.dial})
	for range 5 {
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if got, err := call(t.Context(), p, "echo", "x"); got != "x" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
		wg.Wait()
		d.end(t, "server", s)
		if _, err := call(t.Context(), p, "echo", "x"); !errors.Is(err, errNoServer) {
			t.Errorf("no server: %v", err)
		}
		if conns, _ := p.open(); conns != 0 {
			t.Errorf("%d connections to no server", conns)
		}
		s = d.begin(t, "server", echo)
	}
	if got, err := call(t.Context(), p, "echo", "x"); got != "x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSeveralServers(t *testing.T) {
	noLeaks(t)
	var d directory
	var calls [2]atomic.Int32
	counting := func(i int) Processor {
		return functions{"echo": func(_ context.Context, s string) (string, error) { calls[i].Add(1); return s, nil }}
	}
	first := d.begin(t, "first", counting(0))
	d.begin(t, "second", counting(1))
	p := pool(t, PoolOptions{Addresses: []string{"first", "second"}, Dial: d.dial})
	n := func() {
		t.Helper()
		for range 20 {
			if got, err := call(t.Context(), p, "echo", "x"); got != "x" || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
		}
	}
	n()
	if a, b := calls[0].Load(), calls[1].Load(); a != 10 || b != 10 {
		t.Errorf("%d calls to the first server, %d to the second; want 10 each", a, b)
	}
	d.end(t, "first", first)
	n()
	if got := calls[1].Load(); got != 30 {
		t.Errorf("%d calls to the server that is left, want 30", got)
	}
	d.begin(t, "first", counting(0))
	for deadline := time.Now().Add(time.Minute); calls[0].Load() == 10; {
		if time.Now().After(deadline) {
			t.Fatal("the server that has come back gets no calls")
		}
		n()
	}
}

func TestWaitingForAConnection(t *testing.T) {
	f, entered, left := waiter()
	address := serve(t, &Server{Processor: f})
	p := pool(t, PoolOptions{Addresses: []string{address}, MaxConns: 1})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := call(ctx, p, "wait", "")
		first <- err
	}()
	<-entered
	short, done := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer done()
	_, err := call(short, p, "echo", "x")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "waiting for a connection") {
		t.Errorf("got %v", err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was cancelled: %v", err)
	}
	<-left
	if got, err := call(t.Context(), p, "echo", "x"); got != "x" || err != nil {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

func TestClosingAPool(t *testing.T) {
	f, entered, left := waiter()
	address := serve(t, &Server{Processor: f})
	silent, err := net.Listen("tcp", "127.0.0.1:0") // that accepts nobody
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p := pool(t, PoolOptions{Addresses: []string{address}, MaxConns: 2})
	dials := pool(t, PoolOptions{Addresses: []string{address}, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		entered <- struct{}{}
		<-ctx.Done()
		left <- struct{}{}
		return nil, ctx.Err()
	}})
	var wg sync.WaitGroup
	for _, p := range []*Pool{p, p, p, dials} { // one of p's waits for a connection
		wg.Go(func() {
			if _, err := call(t.Context(), p, "wait", ""); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a call under way: %v", err)
			}
		})
	}
	for range 3 {
		<-entered
	}
	_, _ = p.Close(), dials.Close()
	for range 3 {
		<-left
	}
	wg.Wait()
	if _, err := call(t.Context(), p, "echo", "x"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// Peers that do what they like, each for one connection; the next one is good.
func TestHostileServersOfAPool(t *testing.T) {
	answer := request(Framed, Binary, ReplyMessage, "echo", "x", 1)
	read := func(c net.Conn) { _, _ = c.Read(make([]byte, 100)) }
	for name, bad := range map[string]func(net.Conn){
		"hangs up":           func(net.Conn) {},
		"hangs up in a call": read,
		"garbage":            func(c net.Conn) { read(c); _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) },
		"half an answer":     func(c net.Conn) { read(c); _, _ = c.Write(answer[:len(answer)/2]) },
		"speaks first":       func(c net.Conn) { _, _ = c.Write(answer); read(c); read(c) },
		"says more": func(c net.Conn) {
			read(c)
			_, _ = c.Write(append(answer[:len(answer):len(answer)], answer...))
			read(c)
		},
		"says more later":     func(c net.Conn) { read(c); _, _ = c.Write(answer); _, _ = c.Write(answer); read(c) },
		"hangs up afterwards": func(c net.Conn) { read(c); _, _ = c.Write(answer) },
		"silent":              func(c net.Conn) { read(c); read(c) },
	} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := &Server{Processor: echo, Logger: new(logLines).logger()}
			was, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				c, err := l.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				bad(c)
				_ = c.Close()
				close(was)
				_ = s.Serve(l)
			}()
			p := pool(t, PoolOptions{Addresses: []string{l.Addr().String()}})
			patience := time.Minute
			if name == "silent" {
				patience = 20 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			first, err := call(ctx, p, "echo", "x")
			if err == nil && first != "x" {
				t.Errorf("the first answer is %q", first)
			}
			if strings.HasPrefix(name, "says more") {
				// It is there before the next call, or that call's answer is another's and says so.
				if got, err := call(ctx, p, "echo", "y"); err == nil && got != "y" {
					t.Errorf("the second call got %q, the answer to the first", got)
				}
			}
			if name == "hangs up afterwards" {
				<-was // so the call must be sent to the next
			} else {
				patience = 20 * time.Millisecond // it may wait for what doesn't come
			}
			for deadline := time.Now().Add(2 * time.Minute); ; patience *= 2 {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				got, err := call(ctx, p, "echo", "z")
				cancel()
				if err == nil {
					if got != "z" {
						t.Errorf("got %q, want z", got)
					}
					break
				}
				if time.Now().After(deadline) || name == "hangs up afterwards" {
					t.Fatal(err)
				}
			}
			_ = s.Close()
			<-done
		})
	}
}

func TestIdleConnectionsOfAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{Processor: echo, Logger: new(logLines).logger()}
		p, err := NewPool(PoolOptions{Addresses: []string{"a", "b", "c"}, MaxConns: 2, IdleTimeout: time.Minute, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
			if network != "tcp" || !strings.Contains("abc", address) {
				t.Errorf("dials %s %s", network, address)
			}
			a, b := net.Pipe()
			go func() { _ = s.ServeConn(b) }()
			return a, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		want := func(conns, idle int) {
			t.Helper()
			synctest.Wait()
			if c, i := p.open(); c != conns || i != idle {
				t.Errorf("%d connections, %d idle; want %d and %d", c, i, conns, idle)
			}
		}
		do := func() {
			t.Helper()
			if got, err := call(t.Context(), p, "echo", "x"); got != "x" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		do()
		want(1, 1)
		time.Sleep(40 * time.Second)
		do()
		want(2, 2)
		do() // the third server takes the place of the first
		want(2, 2)
		time.Sleep(50 * time.Second)
		want(2, 2)
		time.Sleep(10 * time.Second)
		want(0, 0)
		do()
		want(1, 1)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		want(0, 0)
	})
}

// A dial that takes too long is the server's failure, and the next one is tried.
func TestAServerThatCantBeReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{Processor: echo, Logger: new(logLines).logger()}
		var dials int
		p, err := NewPool(PoolOptions{Addresses: []string{"hole", "good"}, MaxIdle: -1, Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			if address == "hole" {
				dials++
				<-ctx.Done()
				return nil, ctx.Err()
			}
			a, b := net.Pipe()
			go func() { _ = s.ServeConn(b) }()
			return a, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for range 20 {
			if got, err := call(t.Context(), p, "echo", "x"); got != "x" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		if took := time.Since(start); dials != 1 || took != defaultDialTimeout {
			t.Errorf("20 calls took %v and %d attempts, want one of %v", took, dials, defaultDialTimeout)
		}
		// It is asked again, less and less often.
		for range 3600 {
			_, _ = call(t.Context(), p, "echo", "x")
			time.Sleep(time.Second)
		}
		if dials < 100 || dials > 2000 {
			t.Errorf("%d attempts in an hour", dials)
		}
		_ = p.Close()
	})
}

func TestCallsOfAPoolDontAllocate(t *testing.T) {
	testenv.Allocations(t)
	args, answer := new(ignored), &note{Text: "answer"}
	address := serve(t, &Server{Processor: processorFunc(func(_ context.Context, c *Call) {
		if c.Args(args) {
			c.Reply(answer)
		}
	})})
	p := pool(t, PoolOptions{Addresses: []string{address}})
	text, result := &note{Text: "call"}, new(ignored)
	if n := testing.AllocsPerRun(200, func() {
		if err := p.Call(context.Background(), "f", text, result); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// churnCalls is how many calls of TestStressPool must be answered.
func churnCalls(t *testing.T) int {
	n, err := strconv.ParseFloat(os.Getenv("SEAM_STRESS"), 64)
	if os.Getenv("SEAM_STRESS") != "" && err != nil {
		t.Fatal(err)
	}
	return max(int(n), 2000)
}

// Servers die and come back all the time, and calls are cancelled. Each call gets its own
// answer or an error, and nothing is left.
func TestStressPool(t *testing.T) {
	noLeaks(t)
	calls := churnCalls(t)
	descriptors := descriptors(t)
	var d directory
	names := []string{"first", "second"}
	p := pool(t, PoolOptions{Addresses: names, MaxConns: 20, IdleTimeout: 50 * time.Millisecond, Dial: d.dial, Conn: ConnOptions{Framing: TTHeader}})
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for i := 0; ; i = 1 - i {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Error(err)
				return
			}
			s := &Server{Processor: echo, Logger: new(logLines).logger()}
			served := make(chan struct{})
			go func() { defer close(served); _ = s.Serve(l) }()
			d.set(names[i], l.Addr().String())
			select {
			case <-over:
			case <-time.After(20 * time.Millisecond):
			}
			if i == 0 {
				_ = s.Close()
			}
			if err := s.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			<-served
			select {
			case <-over:
				return
			default:
			}
		}
	}()
	var wg sync.WaitGroup
	var good, next atomic.Int64
	for range 30 {
		wg.Go(func() {
			for good.Load() < int64(calls) {
				n := next.Add(1)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				if n%100 == 0 {
					time.AfterFunc(time.Duration(n%1000)*time.Microsecond, cancel)
				}
				text := fmt.Sprint(n)
				got, err := call(ctx, p, "echo", text)
				switch {
				case err == nil && got == text:
					good.Add(1)
				case err == nil:
					t.Errorf("got %q, want %q", got, text)
				case n%100 != 0 && errors.Is(err, context.DeadlineExceeded):
					t.Errorf("a call was never answered: %v", err)
				default:
					time.Sleep(time.Millisecond) // there may be no server just now
				}
				cancel()
			}
		})
	}
	wg.Wait()
	close(over)
	<-gone
	t.Logf("%d of %d calls were answered", good.Load(), next.Load())
	_ = p.Close()
	descriptors.same(t)
}
