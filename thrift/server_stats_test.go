package thrift

import (
	"context"
	"encoding/json"
	"expvar"
	"net"
	"strings"
	"testing"
	"time"
)

// wantStats waits until a server's figures are as they should be.
func wantStats(t *testing.T, s *Server, want ServerStats) {
	t.Helper()
	for range 500 {
		if s.Stats() == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the figures are %+v, want %+v", s.Stats(), want)
}

func TestServerStats(t *testing.T) {
	noLeaks(t)
	f, entered, left := waiter()
	f["panic"] = func(context.Context, string) (string, error) { panic("on purpose") }
	var lines logLines
	s := &Server{Processor: f, MaxInFlight: 1, Logger: lines.logger()}
	if got := s.Stats(); got != (ServerStats{}) {
		t.Errorf("before it serves: %+v", got)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(&flaky{l, 2, temporary{}}) }()
	address := l.Addr().String()

	first := dial(t, address, Framed, Binary)
	for _, function := range []string{"echo", "panic"} {
		_, _ = call(t.Context(), first, function, "x")
	}
	wantStats(t, s, ServerStats{Conns: 1, Accepted: 1, AcceptErrors: 2, Calls: 2, Panics: 1})

	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = call(ctx, first, "wait", "")
	}()
	<-entered
	wantStats(t, s, ServerStats{Conns: 1, Accepted: 1, AcceptErrors: 2, Calls: 3, InFlight: 1, Panics: 1})
	cancel()
	<-gone
	<-left

	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	for range 500 {
		if s.Stats().Dropped == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = conn.Close()
	wantLog(t, &lines, "GET / HT")
	if _, err := s.Handle(t.Context(), request(Buffered, Binary, ReplyMessage, "echo", "x", 1), nil); err != nil {
		t.Error(err)
	}
	_, _ = s.Handle(t.Context(), request(Buffered, Binary, CallMessage, "echo", "x", 1), nil)
	_ = s.Close()
	wantStats(t, s, ServerStats{Accepted: 2, Dropped: 1, AcceptErrors: 2, Calls: 4, Panics: 1, Refused: 1, Stopping: true})

	var back ServerStats
	text := expvar.Func(func() any { return s.Stats() }).String()
	if err := json.Unmarshal([]byte(text), &back); err != nil || back != s.Stats() || !strings.Contains(text, `"in_flight":0`) {
		t.Errorf("%v: %s", err, text)
	}
}

// A call that waits for its turn is seen to, and one that gets it.
func TestStatsOfCallsThatWait(t *testing.T) {
	f, entered, left := waiter()
	s := &Server{Processor: f, MaxInFlight: 1}
	address := serve(t, s)
	first, second := dial(t, address, Framed, Binary), dial(t, address, Framed, Binary)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { _, _ = call(ctx, first, "wait", "") }()
	<-entered
	answered := make(chan string)
	go func() {
		got, _ := call(t.Context(), second, "echo", "x")
		answered <- got
	}()
	wantStats(t, s, ServerStats{Conns: 2, Accepted: 2, Calls: 1, InFlight: 1, Waiting: 1})
	cancel()
	<-left
	if got := <-answered; got != "x" {
		t.Errorf("the call that waited: %q", got)
	}
	wantStats(t, s, ServerStats{Conns: 1, Accepted: 2, Calls: 2})
}
