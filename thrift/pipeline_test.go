package thrift

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// pipeline makes one that is closed when the test ends.
func pipeline(t testing.TB, opt PipelineOptions) *Pipeline {
	t.Helper()
	p, err := NewPipeline(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

var pipelineFramings = []Framing{Framed, TTHeader, THeader}

func TestPipelineCalls(t *testing.T) {
	noLeaks(t)
	address := serve(t, &Server{Processor: functions{"echo": func(_ context.Context, s string) (string, error) { return s, nil }}})
	for _, f := range pipelineFramings {
		for _, protocol := range protocols {
			if f != Framed && protocol == JSON {
				continue // which there is not
			}
			p := pipeline(t, PipelineOptions{Address: address, Conn: ConnOptions{Framing: f}, Client: ClientOptions{Protocol: protocol}})
			var wg sync.WaitGroup
			for g := range 20 {
				wg.Go(func() {
					for k := range 20 {
						text := fmt.Sprint(g, " ", k, strings.Repeat("x", k*100))
						if got, err := call(t.Context(), p, "echo", text); got != text || err != nil {
							t.Errorf("%v, %v: %q, %v", f, protocol, got, err)
							return
						}
					}
				})
			}
			wg.Wait()
			_, err := call(t.Context(), p, "none", "")
			wantException(t, err, UnknownMethod, "none")
			if err := p.Call(t.Context(), "echo", &note{Text: "oneway"}, nil); err != nil {
				t.Errorf("oneway: %v", err)
			}
			if s := p.Stats(); s.Conns != 1 || s.InFlight != 0 || s.GivenUp != 0 || s.Failures != 0 {
				t.Errorf("%v, %v: %+v", f, protocol, s)
			}
		}
	}
}

// A server overtakes slow calls only where the client permits it, and no more than it may.
func TestPipelineOrder(t *testing.T) {
	var running, most atomic.Int32
	release := make(chan struct{})
	s := &Server{MaxPipelined: 3, Processor: functions{
		"slow": func(ctx context.Context, s string) (string, error) {
			n := running.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			defer running.Add(-1)
			select {
			case <-release:
			case <-ctx.Done():
			}
			return s, nil
		},
		"quick": func(_ context.Context, s string) (string, error) { return s, nil },
	}}
	address := serve(t, s)
	for _, f := range []Framing{TTHeader, THeader} {
		p := pipeline(t, PipelineOptions{Address: address, Conn: ConnOptions{Framing: f}})
		slow := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := call(t.Context(), p, "slow", "")
				slow <- err
			}()
		}
		for range 10 { // they overtake the slow ones
			if _, err := call(t.Context(), p, "quick", ""); err != nil {
				t.Fatal(err)
			}
		}
		release <- struct{}{}
		release <- struct{}{}
		for range 2 {
			if err := <-slow; err != nil {
				t.Error(err)
			}
		}
	}
	// A client that doesn't permit it has its answers in order.
	for _, f := range []Framing{Framed, TTHeader, THeader} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write(append(request(f, Binary, CallMessage, "slow", "first", 1), request(f, Binary, CallMessage, "quick", "second", 2)...))
		release <- struct{}{}
		c := NewConn(conn, ConnOptions{Framing: f})
		for want := range int32(2) {
			msg, err := c.ReadMessage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if h, _, err := ParseMessageHeader(msg); err != nil || h.Seq != want+1 {
				t.Errorf("%v: answer %d comes in place of %d, %v", f, h.Seq, want+1, err)
			}
		}
		_ = c.Close()
	}
	// No more than MaxPipelined run at a time.
	p := pipeline(t, PipelineOptions{Address: address, Conn: ConnOptions{Framing: TTHeader}})
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if _, err := call(t.Context(), p, "slow", ""); err != nil {
				t.Error(err)
			}
		})
	}
	for range 12 {
		release <- struct{}{}
	}
	wg.Wait()
	if n := most.Load(); n > 3 {
		t.Errorf("%d calls of a connection ran at a time, at most 3 may", n)
	}
}

// A call that is given up returns, others go on, and its answer is dropped when it comes.
func TestPipelineGivenUp(t *testing.T) {
	noLeaks(t)
	release := make(chan struct{})
	address := serve(t, &Server{Processor: functions{
		"slow": func(context.Context, string) (string, error) {
			<-release
			return "late", nil
		},
		"echo": func(_ context.Context, s string) (string, error) { return s, nil },
	}})
	p := pipeline(t, PipelineOptions{Address: address, MaxInFlight: 4, Conn: ConnOptions{Framing: TTHeader}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := call(ctx, p, "slow", "")
		done <- err
	}()
	if got, err := call(t.Context(), p, "echo", "x"); got != "x" || err != nil {
		t.Fatal(got, err)
	}
	for p.Stats().InFlight != 1 {
		runtime.Gosched()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if _, err := call(ctx, p, "echo", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("before it began: %v", err)
	}
	if s := p.Stats(); s.InFlight != 0 || s.GivenUp > 1 {
		t.Errorf("%+v", s)
	}
	close(release)
	for p.Stats().GivenUp != 0 {
		if got, err := call(t.Context(), p, "echo", "y"); got != "y" || err != nil {
			t.Fatal(got, err)
		}
	}
	if s := p.Stats(); s.Conns != 1 || s.Failures != 0 {
		t.Errorf("%+v", s)
	}
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := call(over, p, "echo", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline that is over: %v", err)
	}
}

// fakeServer accepts connections and hands each to f, by its number.
func fakeServer(t testing.TB, f func(n int, c net.Conn)) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				f(n, c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}

// answerTo is the answer to a message, with a text.
func answerTo(function, text string, seq int32) []byte {
	return request(Framed, Binary, ReplyMessage, function, text, seq)
}

// A server that answers in any order answers each call right, whatever the framing.
func TestPipelineServerWithAnyOrder(t *testing.T) {
	const calls = 50
	address := fakeServer(t, func(_ int, conn net.Conn) {
		c := NewConn(conn, ConnOptions{})
		var answers [][]byte
		for range calls {
			msg, err := c.ReadMessage(context.Background())
			if err != nil {
				return
			}
			h, n, _ := ParseMessageHeader(msg)
			var in note
			_, _ = DecodeBinary(msg[n:], &in, Options{})
			answers = append(answers, answerTo("echo", in.Text, h.Seq))
		}
		rand.Shuffle(calls, func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
		for _, a := range answers {
			_, _ = conn.Write(a)
		}
		_, _ = io.Copy(io.Discard, conn)
	})
	p := pipeline(t, PipelineOptions{Address: address})
	var wg sync.WaitGroup
	for k := range calls {
		wg.Go(func() {
			if got, err := call(t.Context(), p, "echo", strconv.Itoa(k)); got != strconv.Itoa(k) || err != nil {
				t.Errorf("%d: %q, %v", k, got, err)
			}
		})
	}
	wg.Wait()
}

// Servers that lie, flood, break off or say nothing: the calls fail, and the next one has a
// connection of its own.
func TestPipelineBadServers(t *testing.T) {
	noLeaks(t)
	for name, c := range map[string]struct {
		answer func(seq int32) []byte
		want   string
	}{
		"another number":    {func(seq int32) []byte { return answerTo("echo", "x", seq+1000) }, "which no call has"},
		"another function":  {func(seq int32) []byte { return answerTo("other", "x", seq) }, `answer is that of "other"`},
		"a call":            {func(seq int32) []byte { return request(Framed, Binary, CallMessage, "echo", "x", seq) }, "message of type call"},
		"another protocol":  {func(seq int32) []byte { return request(Framed, Compact, ReplyMessage, "echo", "x", seq) }, "compact protocol"},
		"no thrift":         {func(int32) []byte { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n") }, "limit of a message"},
		"a negative length": {func(int32) []byte { return []byte{0xff, 0xff, 0xff, 0xff, 0} }, "negative"},
		"half an answer":    {func(seq int32) []byte { return answerTo("echo", "text", seq)[:20] }, "inside of a message"},
		"nothing":           {func(int32) []byte { return nil }, "EOF"},
		"flood": {func(seq int32) []byte {
			return append(answerTo("echo", "x", seq), []byte(strings.Repeat(string(answerTo("echo", "x", seq)), 1000))...)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			address := fakeServer(t, func(n int, conn net.Conn) {
				in := NewConn(conn, ConnOptions{})
				for {
					msg, err := in.ReadMessage(context.Background())
					if err != nil {
						return
					}
					h, _, _ := ParseMessageHeader(msg)
					if n > 0 {
						_, _ = conn.Write(answerTo("echo", "good", h.Seq))
						continue
					}
					b := c.answer(h.Seq)
					_, _ = conn.Write(b)
					if len(b) == 0 || name == "half an answer" {
						return
					}
				}
			})
			p := pipeline(t, PipelineOptions{Address: address})
			_, err := call(t.Context(), p, "echo", "x")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
			for p.Stats().Failures == 0 { // after the flood's first answer
				runtime.Gosched()
			}
			if got, err := call(t.Context(), p, "echo", "x"); got != "good" || err != nil {
				t.Errorf("the next call: %q, %v", got, err)
			}
			if s := p.Stats(); s.Conns != 2 || s.Failures != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A server that reads nothing, or says nothing, holds up calls no longer than they may take, and
// not for ever.
func TestPipelineSilentServers(t *testing.T) {
	noLeaks(t)
	silent := fakeServer(t, func(_ int, c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	p := pipeline(t, PipelineOptions{Address: silent, MaxInFlight: 2, Conn: ConnOptions{Framing: TTHeader}})
	for range 8 { // more than may be given up on a connection
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		_, err := call(ctx, p, "echo", "x")
		cancel()
		if err == nil {
			t.Error("nobody has answered, and there is no error")
		}
	}
	if s := p.Stats(); s.GivenUp > 2 || s.Failures < 1 {
		t.Errorf("calls that are never answered are kept: %+v", s)
	}
	p = pipeline(t, PipelineOptions{Address: silent, Conn: ConnOptions{ReadTimeout: 20 * time.Millisecond}})
	if _, err := call(t.Context(), p, "echo", "x"); !errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(err.Error(), "ReadTimeout") {
		t.Errorf("ReadTimeout: %v", err)
	}
	stop := make(chan struct{})
	full := fakeServer(t, func(int, net.Conn) { <-stop })
	defer close(stop)
	p = pipeline(t, PipelineOptions{Address: full, Conn: ConnOptions{WriteTimeout: 50 * time.Millisecond}})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := call(t.Context(), p, "echo", strings.Repeat("x", 8<<20)); err == nil {
				t.Error("a server that reads nothing has answered")
			}
		})
	}
	wg.Wait()
	p = pipeline(t, PipelineOptions{Address: full, IdleTimeout: 10 * time.Millisecond})
	_ = p.Call(t.Context(), "echo", &note{}, nil)
	for {
		p.mu.Lock()
		over := !p.line.usable()
		p.mu.Unlock()
		if over {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s := p.Stats(); s.Failures != 0 {
		t.Errorf("an idle connection's end counts as a failure: %+v", s)
	}
}

func TestPipelineOptions(t *testing.T) {
	if _, err := NewPipeline(PipelineOptions{}); err == nil {
		t.Error("no address")
	}
	if _, err := NewPipeline(PipelineOptions{Address: "x", Conn: ConnOptions{Framing: Buffered}}); err == nil {
		t.Error("buffered")
	}
	p := pipeline(t, PipelineOptions{Address: "x", Dial: func(context.Context, string, string) (net.Conn, error) { return nil, os.ErrPermission }})
	if _, err := call(t.Context(), p, "f", ""); !errors.Is(err, os.ErrPermission) {
		t.Errorf("dial: %v", err)
	}
	_ = p.Close()
	if _, err := call(t.Context(), p, "f", ""); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// Shutdown lets calls that are under way be answered, and ends the connection then.
func TestPipelineShutdown(t *testing.T) {
	noLeaks(t)
	release, begun := make(chan struct{}), make(chan struct{}, 5)
	s := &Server{Processor: functions{"slow": func(_ context.Context, s string) (string, error) {
		begun <- struct{}{}
		<-release
		return s, nil
	}}}
	address := serve(t, s)
	p := pipeline(t, PipelineOptions{Address: address, Conn: ConnOptions{Framing: THeader}})
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if got, err := call(t.Context(), p, "slow", "x"); got != "x" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	for range 5 {
		<-begun
	}
	over := make(chan error)
	go func() { over <- s.Shutdown(t.Context()) }()
	close(release)
	wg.Wait()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// The handlers of a client that has gone are told so, unless two messages are before the end: see
// peerWatch.
func TestPipelineClientGone(t *testing.T) {
	for _, n := range []int{1, 4} { // less than run at a time, and more
		t.Run(strconv.Itoa(n), func(t *testing.T) { clientGone(t, n) })
	}
}

func clientGone(t *testing.T, n int) {
	begun, over := make(chan struct{}, 9), make(chan struct{}, 9)
	address := serve(t, &Server{MaxPipelined: 3, Processor: functions{"wait": func(ctx context.Context, _ string) (string, error) {
		begun <- struct{}{}
		<-ctx.Done()
		over <- struct{}{}
		return "", ctx.Err()
	}}})
	p := pipeline(t, PipelineOptions{Address: address, Conn: ConnOptions{Framing: TTHeader}})
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if _, err := call(t.Context(), p, "wait", ""); !errors.Is(err, net.ErrClosed) {
				t.Errorf("closed: %v", err)
			}
		})
	}
	for range min(n, 3) {
		<-begun
	}
	for p.Stats().InFlight < n {
		runtime.Gosched()
	}
	_ = p.Close()
	for range min(n, 3) {
		<-over
	}
	wg.Wait()
}

// Calls from many goroutines, some given up, on a server whose connections die: each has its own
// answer or an error, and in the end nothing is left. SEAM_STRESS says how many.
func TestStressPipeline(t *testing.T) {
	noLeaks(t)
	total := int64(3000)
	if v, err := strconv.ParseFloat(os.Getenv("SEAM_STRESS"), 64); err == nil {
		total = int64(v)
	}
	var handled atomic.Int64
	s := &Server{Processor: functions{"echo": func(_ context.Context, s string) (string, error) {
		handled.Add(1)
		return s, nil
	}}}
	address := serve(t, s)
	files := descriptors(t)
	var dialled sync.Map
	p := pipeline(t, PipelineOptions{Address: address, MaxInFlight: 200, Conn: ConnOptions{Framing: TTHeader}, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			dialled.Store(c, nil)
		}
		return c, err
	}})
	var next, good, failed atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for {
				k := next.Add(1)
				if k > total {
					return
				}
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if k%50 == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(k%7)*100*time.Microsecond)
				}
				if k%1000 == 0 {
					dialled.Range(func(c, _ any) bool { dialled.Delete(c); _ = c.(net.Conn).Close(); return true })
				}
				text := strconv.FormatInt(k, 10)
				got, err := call(ctx, p, "echo", text)
				cancel()
				switch {
				case err != nil:
					failed.Add(1)
				case got != text:
					t.Errorf("call %s has the answer %s", text, got)
					return
				default:
					good.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if good.Load() < total/2 {
		t.Errorf("%d of %d calls were answered", good.Load(), total)
	}
	if n := p.Stats().InFlight; n != 0 {
		t.Errorf("%d calls are under way when all have returned", n)
	}
	stats := p.Stats()
	_ = p.Close()
	files.same(t)
	t.Logf("%d calls answered, %d failed, %d handled, %+v", good.Load(), failed.Load(), handled.Load(), stats)
}
