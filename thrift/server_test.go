package thrift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift/codec"
)

func TestServerAnswersInKind(t *testing.T) {
	address := serve(t, &Server{Processor: echo})
	eachWire(t, func(t *testing.T, f Framing, p Protocol) {
		c := dial(t, address, f, p)
		for _, text := range []string{"", "hello", strings.Repeat("x", 100_000)} {
			if got, err := call(t.Context(), c, "echo", text); got != text || err != nil {
				t.Errorf("%d bytes: %d back, %v", len(text), len(got), err)
			}
		}
	})
}

func TestServerOverUnixSockets(t *testing.T) {
	noLeaks(t)
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err) // not every system has them
	}
	s := &Server{Processor: echo}
	go func() { _ = s.Serve(l) }()
	defer func() { _ = s.Close() }()
	conn, err := Dial(t.Context(), "unix", path, ConnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient(conn, ClientOptions{})
	defer func() { _ = c.Close() }()
	if got, err := call(t.Context(), c, "echo", "x"); got != "x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestErrorsOfCalls(t *testing.T) {
	f := functions{
		"echo": echo["echo"],
		"fail": func(context.Context, string) (string, error) { return "", errors.New("no luck") },
		"choose": func(context.Context, string) (string, error) {
			return "", &ApplicationException{UnsupportedClientType, "go away"}
		},
		"forward": func(context.Context, string) (string, error) {
			return "", fmt.Errorf("store: %w", &ApplicationException{UnknownMethod, "get"})
		},
		"late": func(context.Context, string) (string, error) {
			return "", fmt.Errorf("store: %w", context.DeadlineExceeded)
		},
		"cancel": func(context.Context, string) (string, error) { return "", context.Canceled },
		"panic":  func(context.Context, string) (string, error) { panic("secret") },
	}
	silent := processorFunc(func(ctx context.Context, c *Call) {
		switch c.Function {
		case "silent":
		case "bad":
			c.Reply(&note{bad: true})
		case "panic late":
			c.Reply(&note{Text: "x"})
			panic("late")
		default:
			f.Process(ctx, c)
		}
	})
	var lines logLines
	address := serve(t, &Server{Processor: silent, Logger: lines.logger()})
	eachWire(t, func(t *testing.T, framing Framing, p Protocol) {
		c := dial(t, address, framing, p)
		for _, want := range []struct {
			function string
			kind     ExceptionType
			text     string
		}{
			{"fail", InternalError, "fail: no luck"},
			{"choose", UnsupportedClientType, "go away"},
			{"forward", InternalError, "forward: store: get"},
			{"late", Timeout, "late: store: context deadline exceeded"},
			{"cancel", Interruption, "cancel: context canceled"},
			{"panic", InternalError, "panic: internal error"},
			{"panic late", InternalError, "panic late: internal error"},
			{"silent", MissingResult, "silent: neither a result nor an exception"},
			{"bad", InternalError, "bad: result can't be encoded: note is bad"},
			{"none", UnknownMethod, `unknown function "none"`},
			{strings.Repeat("n", 1000), UnknownMethod, `nnn..."`},
		} {
			_, err := call(t.Context(), c, want.function, "x")
			wantException(t, err, want.kind, want.text)
			if errors.Is(err, context.DeadlineExceeded) != (want.kind == Timeout) || errors.Is(err, context.Canceled) != (want.kind == Interruption) {
				t.Errorf("%s: %v is taken for another error", want.function, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Error("the client is told what the panic says")
			}
		}
		if got, err := call(t.Context(), c, "echo", "x"); got != "x" || err != nil {
			t.Errorf("the connection afterwards: %q, %v", got, err)
		}
	})
	if text := lines.String(); !strings.Contains(text, "panic=secret") || !strings.Contains(text, "TestErrorsOfCalls") {
		t.Errorf("log has no panic with its stack: %s", text)
	}
}

// processorFunc is a function as a processor.
type processorFunc func(ctx context.Context, c *Call)

func (f processorFunc) Process(ctx context.Context, c *Call) { f(ctx, c) }

func TestOneway(t *testing.T) {
	got := make(chan string, 3)
	var lines logLines
	address := serve(t, &Server{Logger: lines.logger(), Processor: functions{
		"echo":        echo["echo"],
		"oneway":      func(_ context.Context, s string) (string, error) { got <- s; return "", nil },
		"oneway_fail": func(context.Context, string) (string, error) { return "", errors.New("no luck") },
		"oneway_stop": func(context.Context, string) (string, error) { panic("no luck either") },
	}})
	eachWire(t, func(t *testing.T, f Framing, p Protocol) {
		c := dial(t, address, f, p)
		for _, name := range []string{"oneway", "oneway_fail", "oneway_stop", "oneway_unknown", "echo"} {
			if err := c.Call(t.Context(), name, &note{Text: "hi"}, nil); err != nil {
				t.Error(err)
			}
		}
		if s := <-got; s != "hi" {
			t.Errorf("handler got %q", s)
		}
		// None of them was answered, or this would get the answer.
		if s, err := call(t.Context(), c, "echo", "x"); s != "x" || err != nil {
			t.Errorf("next call: %q, %v", s, err)
		}
	})
	for _, want := range []string{"no luck", "no luck either", "oneway_unknown"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("log has no %q", want)
		}
	}
	// Peers of old send oneway calls as calls, and don't wait either.
	conn := pipe(t, &Server{Processor: functions{"oneway": func(_ context.Context, s string) (string, error) { got <- s; return "", nil }}})
	_, _ = conn.Write(request(Framed, Binary, CallMessage, "oneway", "old", 1))
	<-got
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := conn.Read(make([]byte, 1)); n != 0 {
		t.Errorf("a oneway function was answered, %v", err)
	}
}

func TestMessagesThatAreNoCalls(t *testing.T) {
	conn := pipe(t, &Server{Processor: echo})
	for _, kind := range []MessageType{ReplyMessage, ExceptionMessage, 0, 9} {
		go func() { _, _ = conn.Write(request(Framed, Binary, kind, "echo", "x", 5)) }()
		b := make([]byte, 1000)
		n, err := conn.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		h, k, err := ParseMessageHeader(b[4:n])
		var e ApplicationException
		if err != nil || h.Type != ExceptionMessage || h.Seq != 5 || e.parse(b[4+k:n], Binary, Limits{}) != nil || e.Type != InvalidMessageType {
			t.Errorf("message of type %v: %+v %+v, %v", kind, h, e, err)
		}
	}
}

func TestArgumentsThatAreMalformed(t *testing.T) {
	called := functions{"echo": func(context.Context, string) (string, error) {
		t.Error("the handler was called")
		return "", nil
	}}
	for _, framing := range framings {
		b := request(framing, Binary, CallMessage, "echo", "text", 3)
		header := len(b) - len("\x0b\x00\x01\x00\x00\x00\x04text\x00")
		for _, c := range []struct {
			name string
			edit func([]byte)
			want string
		}{
			{"field type", func(b []byte) { b[0] = 1 }, "echo: arguments: "},
			{"string too long for the limit", func(b []byte) { b[3] = 0x7f }, "Limits.Message"},
		} {
			if framing != Buffered && c.name != "field type" {
				continue // the frame says where it ends
			}
			bad := bytes.Clone(b)
			c.edit(bad[header:])
			s := &Server{Processor: called, Decode: Options{Limits: Limits{Message: 1 << 20}}}
			conn := pipe(t, s)
			go func() { _, _ = conn.Write(bad) }()
			out, err := NewConn(conn, ConnOptions{Framing: framing}).ReadMessage(t.Context())
			if err != nil {
				t.Errorf("%v, %s: %v", framing, c.name, err)
				continue
			}
			h, n, err := ParseMessageHeader(out)
			var e ApplicationException
			if err == nil {
				err = e.parse(out[n:], h.Protocol, Limits{})
			}
			if err != nil || h.Type != ExceptionMessage || h.Seq != 3 || e.Type != ProtocolError || !strings.Contains(e.Message, c.want) {
				t.Errorf("%v, %s: answer %q is %+v %+v, %v", framing, c.name, out, h, e, err)
			}
		}
	}
}

func TestGarbageClosesTheConnection(t *testing.T) {
	good := request(Framed, Binary, CallMessage, "echo", "x", 1)
	for _, c := range []struct{ name, bytes, want string }{
		{"HTTP", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HT"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "length 369295618, the limit"},
		{"random", "\xde\xad\xbe\xef\x00\x00\x00\x01", "bad version 0xdeadbeef"},
		{"version", "\x80\x02\x00\x01\x00\x00\x00\x01f\x00\x00\x00\x01", "bad version 0x80020001"},
		{"compact version", "\x82\x22\x01\x01f", "bad version 2"},
		{"second frame of no length", string(good) + "\x00\x00\x00\x00", "length 0"},
		{"second frame of negative length", string(good) + "\xff\xff\xff\xff", "length -1"},
		{"second frame of 2 GB", string(good) + "\x7f\xff\xff\xff", "length 2147483647, the limit"},
		{"frame of 2 GB", "\x7f\xff\xff\xff\x80\x01\x00\x01", "length 2147483647, the limit"},
		{"frame without a message", "\x00\x00\x00\x05\x80\x01\x00\x01\x00", "unexpected end of input"},
		{"JSON of another version", `[2,"f",1,1,{}]`, "header of message"},
		{"JSON that is no message", "[1,{}]", "expected, found '{'"},
		{"JSON without an end to its header", "[1," + strings.Repeat(" ", 50<<10), "no end of it"},
		{"name in JSON", `[1,"` + strings.Repeat("x", 5000) + `",1,1,{}]`, "name has 5000 bytes"},
		{"name in JSON that is not UTF-8", "[1,\"\xff\",1,1,{}]", "not UTF-8"},
		{"name of 2 GB", "\x80\x01\x00\x01\x7f\xff\xff\xff", "name has 2147483647 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lines logLines
			s := &Server{Processor: echo, Logger: lines.logger()}
			conn := pipe(t, s)
			go func() { _, _ = conn.Write([]byte(c.bytes)) }()
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("connection was not closed: %v", err)
			}
			wantLog(t, &lines, c.want)
		})
	}
}

// wantLog waits for a text in a log.
func wantLog(t *testing.T, l *logLines, want string) {
	t.Helper()
	for range 500 {
		if strings.Contains(l.String(), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("log has no %q: %s", want, l)
}

func TestACallThatTricklesInByteByByte(t *testing.T) {
	eachWire(t, func(t *testing.T, f Framing, p Protocol) {
		conn := pipe(t, &Server{Processor: echo})
		b := request(f, p, CallMessage, "echo", "text", 1)
		go func() {
			for i := range b {
				_, _ = conn.Write(b[i : i+1])
			}
		}()
		got, err := NewConn(conn, ConnOptions{Framing: f}).ReadMessage(t.Context())
		want := request(f, p, ReplyMessage, "echo", "text", 1)
		if err != nil || !bytes.HasSuffix(want, got) {
			t.Errorf("got % x, %v; want % x", got, err, want)
		}
	})
}

func TestAConnectionCutAtEachByteOfACall(t *testing.T) {
	var calls atomic.Int32
	s := &Server{Processor: functions{"echo": func(_ context.Context, s string) (string, error) { calls.Add(1); return s, nil }}}
	address := serve(t, s)
	for _, f := range framings {
		b := request(f, Compact, CallMessage, "echo", "text", 1)
		for cut := range b {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			_, err = conn.Write(b[:cut])
			_ = conn.Close()
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, err := call(t.Context(), dial(t, address, Framed, Binary), "echo", "x"); got != "x" || err != nil || calls.Load() != 1 {
		t.Errorf("a call afterwards: %q, %v; %d calls were handled, want 1", got, err, calls.Load())
	}
}

func TestPipelinedCalls(t *testing.T) {
	eachWire(t, func(t *testing.T, f Framing, p Protocol) {
		conn := pipe(t, &Server{Processor: functions{"echo": func(_ context.Context, s string) (string, error) {
			if s == "slow" {
				time.Sleep(2 * watchAfter) // the watch reads a byte of the next call
			}
			return s, nil
		}}})
		texts := []string{"a", "slow", "b", strings.Repeat("x", 10_000), "slow", "c"}
		go func() {
			for i, s := range texts {
				_, _ = conn.Write(request(f, p, CallMessage, "echo", s, int32(i)))
			}
		}()
		c := NewConn(conn, ConnOptions{Framing: f})
		for i, s := range texts {
			got, err := c.ReadMessage(t.Context())
			if want := request(f, p, ReplyMessage, "echo", s, int32(i)); err != nil || !bytes.HasSuffix(want, got) {
				t.Fatalf("answer %d: %d bytes, %v", i, len(got), err)
			}
		}
	})
}

func TestAHalfClosedPeerGetsItsAnswer(t *testing.T) {
	address := serve(t, &Server{Processor: functions{"echo": func(_ context.Context, s string) (string, error) {
		if s == "slow" {
			time.Sleep(2 * watchAfter)
		}
		return s, nil
	}}})
	for _, text := range []string{"quick", "slow"} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Write(request(Framed, Binary, CallMessage, "echo", text, 1))
		if err := errors.Join(err, conn.(*net.TCPConn).CloseWrite()); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		if want := request(Framed, Binary, ReplyMessage, "echo", text, 1); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: % x, %v", text, got, err)
		}
		_ = conn.Close()
	}
}

// waiter is a function that waits for its context.
func waiter() (f functions, entered, left chan struct{}) {
	entered, left = make(chan struct{}, 100), make(chan struct{}, 100)
	return functions{"echo": echo["echo"], "wait": func(ctx context.Context, _ string) (string, error) {
		entered <- struct{}{}
		<-ctx.Done()
		left <- struct{}{}
		return "", ctx.Err()
	}}, entered, left
}

func TestContextsOfHandlersEnd(t *testing.T) {
	f, entered, left := waiter()
	type key struct{}
	base, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	f["value"] = func(ctx context.Context, _ string) (string, error) { return ctx.Value(key{}).(string), nil }
	s := &Server{Processor: f, BaseContext: func(net.Conn) context.Context { return base }}
	address := serve(t, s)

	c := dial(t, address, Framed, Binary)
	if got, err := call(t.Context(), c, "value", ""); got != "value" || err != nil {
		t.Errorf("value of the base context: %q, %v", got, err)
	}
	// The client gives up, so its connection dies.
	ctx, giveUp := context.WithCancel(t.Context())
	go func() { <-entered; giveUp() }()
	if _, err := call(ctx, c, "wait", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("client: %v", err)
	}
	<-left

	// The base context ends, and with it the connections that are idle.
	idle, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	c = dial(t, address, Framed, Binary)
	go func() { <-entered; cancel() }()
	if _, err := call(t.Context(), c, "wait", ""); err == nil {
		t.Error("no error from a connection that was closed")
	}
	<-left
	if n, err := idle.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("idle connection: %d bytes, %v", n, err)
	}
}

func TestShutdown(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	s := &Server{Processor: functions{"echo": echo["echo"], "slow": func(context.Context, string) (string, error) {
		close(started)
		<-release
		return "done", nil
	}}}
	address := serve(t, s)
	idle, slow := dial(t, address, Framed, Binary), dial(t, address, Buffered, Compact)
	if _, err := call(t.Context(), idle, "echo", "x"); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	go func() {
		got, err := call(t.Context(), slow, "slow", "")
		if got != "done" && err == nil {
			err = fmt.Errorf("answer %q", got)
		}
		answer <- err
	}()
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown with a call in flight: %v", err)
	}
	if got, err := call(t.Context(), idle, "echo", "x"); got != "x" || err != nil {
		t.Errorf("a call on the idle connection: %q, %v", got, err)
	}
	if _, err := call(t.Context(), idle, "echo", "x"); err == nil {
		t.Error("the connection is open after that")
	}
	for { // what waits is still accepted
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		_ = conn.Close()
		time.Sleep(time.Millisecond)
	}
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(t.Context()) }()
	close(release)
	if err := <-answer; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown again: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(l); err != ErrServerClosed {
		t.Errorf("Serve afterwards: %v", err)
	}
	a, b := net.Pipe()
	defer func() { _ = a.Close() }()
	if err := s.ServeConn(b); err != ErrServerClosed {
		t.Errorf("ServeConn afterwards: %v", err)
	}
}

func TestShutdownOfAServerThatNeverServed(t *testing.T) {
	if err := new(Server).Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAServerNeedsAProcessor(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, new(Server).Serve(l), "no Processor")
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the listener is open")
	}
}

func TestCloseCancelsHandlers(t *testing.T) {
	f, entered, left := waiter()
	s := &Server{Processor: f}
	address := serve(t, s)
	const n = 10
	var wg sync.WaitGroup
	for range n {
		c := dial(t, address, Framed, Binary)
		wg.Go(func() {
			if _, err := call(t.Context(), c, "wait", ""); err == nil {
				t.Error("no error from a server that was closed")
			}
		})
	}
	for range n {
		<-entered
	}
	_ = s.Close()
	for range n {
		<-left
	}
	wg.Wait()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown after Close: %v", err)
	}
}

func TestServerTimeouts(t *testing.T) {
	const short = 20 * time.Millisecond
	t.Run("idle", func(t *testing.T) {
		var lines logLines
		conn := pipe(t, &Server{Processor: echo, IdleTimeout: short, Logger: lines.logger()})
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d, %v; want EOF", n, err)
		}
		if lines.String() != "" {
			t.Errorf("an idle connection is nothing to log: %s", lines.String())
		}
	})
	t.Run("message", func(t *testing.T) {
		var lines logLines
		// It is not the time between two bytes that counts.
		conn := pipe(t, &Server{Processor: echo, ReadTimeout: short, Logger: lines.logger()})
		go func() {
			for b := range bytes.SplitSeq([]byte("\x00\x00\x10\x00\x80\x01\x00\x01"+strings.Repeat("\x00", 1000)), nil) {
				if _, err := conn.Write(b); err != nil {
					return
				}
				time.Sleep(short / 10)
			}
		}()
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d, %v; want EOF", n, err)
		}
		wantLog(t, &lines, "longer than 20ms to arrive")
	})
	t.Run("message of each transport", func(t *testing.T) {
		eachWire(t, func(t *testing.T, f Framing, p Protocol) {
			var lines logLines
			conn := pipe(t, &Server{Processor: echo, ReadTimeout: short, Logger: lines.logger()})
			go func() {
				for b := range bytes.SplitSeq(request(f, p, CallMessage, "echo", strings.Repeat("x", 4000), 1), nil) {
					if _, err := conn.Write(b); err != nil {
						return
					}
					time.Sleep(short / 10)
				}
			}()
			if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("%d, %v; want EOF", n, err)
			}
			wantLog(t, &lines, "longer than 20ms to arrive")
		})
	})
	t.Run("answer", func(t *testing.T) {
		var lines logLines
		conn := pipe(t, &Server{Processor: echo, WriteTimeout: short, Logger: lines.logger()})
		if _, err := conn.Write(request(Framed, Binary, CallMessage, "echo", "x", 1)); err != nil {
			t.Fatal(err)
		}
		wantLog(t, &lines, "answer could not be written")
	})
	t.Run("none", func(t *testing.T) {
		const long = 250 * time.Millisecond // in which the first bytes will have arrived
		s := &Server{Processor: echo, IdleTimeout: long, ReadTimeout: -1, WriteTimeout: -1}
		conn := pipe(t, s)
		b := request(Framed, Binary, CallMessage, "echo", "x", 1)
		go func() {
			_, _ = conn.Write(b[:5])
			time.Sleep(2 * long) // the time of idle connections is over, but it isn't one
			_, _ = conn.Write(b[5:])
		}()
		if _, err := io.ReadFull(conn, make([]byte, len(b))); err != nil {
			t.Errorf("answer: %v", err)
		}
	})
}

func TestManyConnections(t *testing.T) {
	s := &Server{Processor: echo, MaxInFlight: 10}
	address := serve(t, s)
	const n = 1000
	var wg sync.WaitGroup
	clients := make([]*Client, n)
	for i := range clients {
		clients[i] = dial(t, address, framings[i%3], protocols[i/3%3])
	}
	for i, c := range clients {
		wg.Go(func() {
			text := fmt.Sprint("text ", i)
			if got, err := call(t.Context(), c, "echo", text); got != text || err != nil {
				t.Errorf("connection %d: %q, %v", i, got, err)
			}
		})
	}
	wg.Wait()
}

func TestLimitOfConnections(t *testing.T) {
	s := &Server{Processor: echo, MaxConns: 2}
	address := serve(t, s)
	var first []*Client
	for range 2 {
		c := dial(t, address, Framed, Binary)
		if _, err := call(t.Context(), c, "echo", "x"); err != nil {
			t.Fatal(err)
		}
		first = append(first, c)
	}
	third := dial(t, address, Framed, Binary)
	answered := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), third, "echo", "x")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Errorf("the third connection was served: %v", err)
	case <-time.After(30 * time.Millisecond):
	}
	_ = first[0].Close()
	if err := <-answered; err != nil {
		t.Errorf("the third connection, when there is a place: %v", err)
	}
}

func TestLimitOfCallsInFlight(t *testing.T) {
	var now, most atomic.Int32
	s := &Server{MaxInFlight: 3, Processor: functions{"echo": func(_ context.Context, s string) (string, error) {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return s, nil
	}}}
	address := serve(t, s)
	var wg sync.WaitGroup
	for range 20 {
		c := dial(t, address, Framed, Binary)
		wg.Go(func() {
			if _, err := call(t.Context(), c, "echo", "x"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() > 3 {
		t.Errorf("%d handlers ran at a time, want 3 at most", most.Load())
	}
}

// A peer that goes away while its call waits for its turn gives up its place.
func TestAPeerThatDiesWhileItWaits(t *testing.T) {
	f, entered, left := waiter()
	s := &Server{Processor: f, MaxInFlight: 1}
	first, second := pipe(t, s), pipe(t, s)
	_, _ = first.Write(request(Framed, Binary, CallMessage, "wait", "", 1))
	<-entered
	_, _ = second.Write(request(Framed, Binary, CallMessage, "wait", "", 1))
	_ = second.Close()
	for n := 2; n > 1; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		n = len(s.conns)
		s.mu.Unlock()
	}
	_ = first.Close()
	<-left
	if len(entered) != 0 {
		t.Error("the handler was called for a peer that has gone")
	}
}

func TestAHandlerThatEndsItsGoroutine(t *testing.T) {
	s := &Server{MaxInFlight: 1, Processor: functions{"echo": echo["echo"], "exit": func(context.Context, string) (string, error) {
		runtime.Goexit()
		return "", nil
	}}}
	address := serve(t, s)
	if _, err := call(t.Context(), dial(t, address, Framed, Binary), "exit", ""); err == nil {
		t.Error("no error")
	}
	if got, err := call(t.Context(), dial(t, address, Framed, Binary), "echo", "x"); got != "x" || err != nil {
		t.Errorf("another connection: %q, %v", got, err)
	}
}

// flaky is a listener that fails before it works.
type flaky struct {
	net.Listener
	left int
	err  error
}

type temporary struct{}

func (temporary) Error() string   { return "too many open files" }
func (temporary) Temporary() bool { return true }

func (l *flaky) Accept() (net.Conn, error) {
	if l.left--; l.left >= 0 {
		return nil, l.err
	}
	return l.Listener.Accept()
}

func TestAcceptIsTriedAgain(t *testing.T) {
	noLeaks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var lines logLines
	s := &Server{Processor: echo, MaxConns: 1, Logger: lines.logger()}
	go func() { _ = s.Serve(&flaky{l, 3, temporary{}}) }()
	if got, err := call(t.Context(), dial(t, l.Addr().String(), Framed, Binary), "echo", "x"); got != "x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	wantLog(t, &lines, "too many open files")
	_ = s.Close()

	l, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := (&Server{Processor: echo}).Serve(&flaky{l, 1, broken}); err != broken {
		t.Errorf("Serve with a broken listener: %v", err)
	}
}

func TestHandleWithoutAConnection(t *testing.T) {
	s := &Server{Processor: echo, Decode: Options{Limits: Limits{Message: 100}}}
	call := request(Buffered, Compact, CallMessage, "echo", "x", 1)
	got, err := s.Handle(t.Context(), call, []byte("before"))
	if want := append([]byte("before"), request(Buffered, Compact, ReplyMessage, "echo", "x", 1)...); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := s.Handle(t.Context(), []byte("GET / HTTP/1.1"), nil); err == nil {
		t.Error("no error for what is no message")
	}
	if _, err := s.Handle(t.Context(), request(Buffered, Compact, CallMessage, "echo", strings.Repeat("x", 200), 1), nil); err == nil {
		t.Error("no error for a message over the limit")
	}
}

func TestLocal(t *testing.T) {
	s := &Server{Processor: functions{"echo": echo["echo"], "oneway": func(context.Context, string) (string, error) { return "", nil }}}
	tr := Local(s)
	c := NewClient(tr, ClientOptions{})
	defer func() { _ = c.Close() }()
	if err := c.Call(t.Context(), "oneway", new(note), nil); err != nil {
		t.Error(err)
	}
	if got, err := call(t.Context(), c, "echo", "x"); got != "x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err := call(t.Context(), c, "none", "x")
	wantException(t, err, UnknownMethod, "none")
	if _, err := tr.ReadMessage(t.Context()); err == nil {
		t.Error("no error when there is no answer")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tr.WriteMessage(ctx, packet("x")); err != context.Canceled {
		t.Errorf("context that is done: %v", err)
	}
}

// What a call takes from the heap, beyond what its messages take.
func TestCallsDontAllocate(t *testing.T) {
	testenv.Allocations(t)
	args, answer := new(ignored), &note{Text: "answer"}
	address := serve(t, &Server{Processor: processorFunc(func(_ context.Context, c *Call) {
		if c.Args(args) {
			c.Reply(answer)
		}
	})})
	eachWire(t, func(t *testing.T, f Framing, p Protocol) {
		if p == JSON {
			return // which goes by way of the binary protocol
		}
		c := dial(t, address, f, p)
		args := &note{Text: "call"}
		result := new(ignored)
		want := 0.0
		if f.hasHeader() {
			want = 1 // the context that knows the info
		}
		if n := testing.AllocsPerRun(200, func() {
			if err := c.Call(context.Background(), "f", args, result); err != nil {
				t.Fatal(err)
			}
		}); n != want {
			t.Errorf("%v allocations a call, want %v", n, want)
		}
	})
}

// ignored is a result that nobody looks at.
type ignored struct{ note }

func (*ignored) ThriftDecodeBinary(d *codec.Decoder, _ int) int  { return d.Left(0) }
func (*ignored) ThriftDecodeCompact(d *codec.Decoder, _ int) int { return d.Left(0) }

func BenchmarkCall(b *testing.B) {
	address := serve(b, &Server{Processor: echo})
	for _, f := range framings {
		b.Run(f.String(), func(b *testing.B) {
			c := dial(b, address, f, Binary)
			args, result := &note{Text: "call"}, new(note)
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Call(context.Background(), "echo", args, result); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("pool", func(b *testing.B) {
		p := pool(b, PoolOptions{Addresses: []string{address}})
		args, result := &note{Text: "call"}, new(note)
		b.ReportAllocs()
		for b.Loop() {
			if err := p.Call(context.Background(), "echo", args, result); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A server's connection can be fed anything, in any pieces.
func FuzzServerConn(f *testing.F) {
	for _, framing := range framings {
		for _, p := range protocols {
			b := request(framing, p, CallMessage, "echo", "text", 1)
			f.Add(append(b, b...), uint8(3))
			f.Add(append(b, request(framing, p, OnewayMessage, "oneway", "text", 1)...), uint8(200))
		}
	}
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"), uint8(0))
	f.Add([]byte("\x7f\xff\xff\xff\x80\x01\x00\x01"), uint8(1))
	s := &Server{
		Processor: functions{"echo": echo["echo"], "oneway": echo["echo"]},
		Decode:    Options{Limits: Limits{Message: 1 << 16}},
		Logger:    slog.New(slog.DiscardHandler),
	}
	f.Fuzz(func(t *testing.T, b []byte, piece uint8) {
		conn := &scripted{in: b, piece: int(piece) + 1}
		if err := s.ServeConn(conn); err != nil {
			t.Fatal(err)
		}
		if !conn.closed {
			t.Fatal("connection was not closed")
		}
		// What was answered are whole messages, in frames if the first five bytes said so.
		// (To detect that from the answers is not possible: the name of a function may begin
		// with a zero.)
		var m inbox
		m.configure(Buffered, Limits{})
		if len(b) > 0 {
			if _, err := m.detectFraming(b); err != nil {
				t.Fatal(err)
			}
		}
		for out := conn.out.Bytes(); ; {
			msg, err := m.message()
			if err != nil {
				t.Fatalf("answer %q: %v", conn.out.Bytes(), err)
			}
			if msg == nil {
				if len(out) == 0 {
					break
				}
				n := copy(m.room(), out)
				m.filled(n)
				out = out[n:]
				continue
			}
			h, _, err := ParseMessageHeader(msg)
			if err != nil || h.Type != ReplyMessage && h.Type != ExceptionMessage {
				t.Fatalf("answer %q: %+v, %v", msg, h, err)
			}
			m.release()
		}
		if m.waiting() {
			t.Fatalf("answers end inside of a message: %q", conn.out.Bytes())
		}
	})
}

// scripted is a connection on which certain bytes arrive.
type scripted struct {
	in     []byte
	piece  int
	out    bytes.Buffer
	closed bool
}

func (c *scripted) Read(b []byte) (int, error) {
	if len(c.in) == 0 {
		return 0, io.EOF
	}
	n := copy(b, c.in[:min(c.piece, len(c.in))])
	c.in = c.in[n:]
	return n, nil
}
func (c *scripted) Write(b []byte) (int, error)      { return c.out.Write(b) }
func (c *scripted) Close() error                     { c.closed = true; return nil }
func (c *scripted) LocalAddr() net.Addr              { return &net.UnixAddr{Name: "scripted"} }
func (c *scripted) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: "scripted"} }
func (c *scripted) SetDeadline(time.Time) error      { return nil }
func (c *scripted) SetReadDeadline(time.Time) error  { return nil }
func (c *scripted) SetWriteDeadline(time.Time) error { return nil }

// A server that nobody has configured bounds what strangers may hold.
func TestDefaultsOfAServer(t *testing.T) {
	for given, want := range map[int]int{0: 10_000, 7: 7, -1: 0} {
		s := &Server{Processor: echo, MaxConns: given}
		if err := s.begin(); err != nil || cap(s.places) != want {
			t.Errorf("MaxConns %d: %d places, %v", given, cap(s.places), err)
		}
	}
	for given, want := range map[time.Duration]time.Duration{0: 10 * time.Minute, time.Second: time.Second, -1: 0} {
		if got := timeout(given, defaultIdle); got != want {
			t.Errorf("IdleTimeout %v: %v", given, got)
		}
	}
}
