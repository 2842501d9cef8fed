package thrift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift/codec"
)

// note is the message of the tests of clients and servers, written by hand as
// small as can be: { 1: string text }.
type note struct {
	Text string `thrift:"text,1,default,string"`
	bad  bool   // can't be encoded
}

var errBadNote = errors.New("note is bad")

func (n *note) AppendBinary(b []byte) ([]byte, error) {
	if n.bad {
		return b, errBadNote
	}
	return append(codec.AppendBinaryString(b, binaryMessage, n.Text), 0), nil
}

func (n *note) AppendCompact(b []byte) ([]byte, error) {
	if n.bad {
		return b, errBadNote
	}
	return append(codec.AppendCompactString(b, compactMessage, n.Text), 0), nil
}

func (n *note) ThriftDecodeBinary(d *codec.Decoder, i int) int {
	if d.BinaryField(i) != binaryMessage {
		return ^i
	}
	i = d.BinaryString(i+3, &n.Text)
	return end(d, i)
}

func (n *note) ThriftDecodeCompact(d *codec.Decoder, i int) int {
	key, i := d.CompactField(i, 0)
	if key != compactMessage {
		return ^max(i, 0)
	}
	i = d.CompactString(i, &n.Text)
	return end(d, i)
}

// end steps over the end of a struct.
func end(d *codec.Decoder, i int) int {
	switch {
	case i < 0:
		return i
	case d.Left(i) == 0 || d.Load8(i) != 0:
		return ^i
	}
	return i + 1
}

// functions is a processor by hand: each function takes a note and returns one.
type functions map[string]func(ctx context.Context, text string) (string, error)

func (f functions) Process(ctx context.Context, c *Call) {
	fn, ok := f[c.Function]
	if !ok {
		c.UnknownFunction()
		return
	}
	if strings.HasPrefix(c.Function, "oneway") {
		c.NoReply()
	}
	var args note
	if !c.Args(&args) {
		return
	}
	text, err := fn(ctx, args.Text)
	if err != nil {
		c.Fail(err)
		return
	}
	c.Reply(&note{Text: text})
}

// echo answers with what it got.
var echo = functions{"echo": func(_ context.Context, s string) (string, error) { return s, nil }}

// logLines is a logger that can be asked what it was told.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logLines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// serve starts a server on the loopback interface. When the test ends it is
// closed, and nothing of it may still run.
func serve(t testing.TB, s *Server) (address string) {
	t.Helper()
	noLeaks(t)
	return serveOneOfSeveral(t, s)
}

// serveOneOfSeveral is serve for a test that looks for leaks itself, at the end of all servers.
func serveOneOfSeveral(t testing.TB, s *Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", testenv.Loopback()+":0") // some end and listen there again
	if err != nil {
		t.Fatal(err)
	}
	if s.Logger == nil {
		s.Logger = new(logLines).logger()
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-done; err != ErrServerClosed {
			t.Errorf("Serve: %v, want ErrServerClosed", err)
		}
	})
	return l.Addr().String()
}

// pipe returns the client's end of a connection that s serves.
func pipe(t testing.TB, s *Server) net.Conn {
	t.Helper()
	if s.Logger == nil {
		s.Logger = new(logLines).logger()
	}
	client, server := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeConn(server) }()
	t.Cleanup(func() {
		_ = client.Close()
		select {
		case <-done:
		case <-time.After(150 * time.Second):
			t.Error("the server's end of a connection is still served after it was closed")
		}
	})
	return client
}

// noLeaks fails the test if goroutines of this package are left when it ends.
func noLeaks(t testing.TB) {
	t.Cleanup(func() {
		var stacks []byte
		for range 500 {
			stacks = make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if !bytes.Contains(stacks, []byte("/thrift.(*")) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("goroutines are left:\n%s", stacks)
	})
}

// dial connects a client.
func dial(t testing.TB, address string, f Framing, p Protocol) *Client {
	t.Helper()
	conn, err := Dial(t.Context(), "tcp", address, ConnOptions{Framing: f})
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient(conn, ClientOptions{Protocol: p})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// call calls a function of functions.
func call(ctx context.Context, c Caller, function, text string) (string, error) {
	var answer note
	err := c.Call(ctx, function, &note{Text: text}, &answer)
	return answer.Text, err
}

// request is the bytes of a call.
func request(f Framing, p Protocol, kind MessageType, function, text string, seq int32) []byte {
	b := AppendMessageHeader(make([]byte, Headroom), p, function, kind, seq)
	b, err := p.appendBody(b, &note{Text: text})
	switch {
	case err != nil:
	case f == TTHeader:
		b, err = ttFrame(nil, b, ttHeader{seq: seq, protocol: ttProtocol(p)})
	case f == THeader:
		b, err = tHeaderFrame(nil, b, ttHeader{seq: seq, protocol: ttProtocol(p)})
	default:
		b, err = frame(f, b)
	}
	if err != nil {
		panic(err)
	}
	return bytes.Clone(b)
}

// wantException fails the test unless err is an exception of a type with a
// text in it.
func wantException(t *testing.T, err error, want ExceptionType, text string) {
	t.Helper()
	var e *ApplicationException
	switch {
	case !errors.As(err, &e):
		t.Errorf("error %v, want an exception of type %v", err, want)
	case e.Type != want || !strings.Contains(e.Message, text):
		t.Errorf("exception of type %v: %s; want %v with %q", e.Type, e.Message, want, text)
	}
}

// wantError fails the test unless err has a text in it.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

var protocols = []Protocol{Binary, OldBinary, Compact, JSON}
var framings = []Framing{Framed, Buffered, TTHeader, THeader}

// inFront is what each framing puts in front of a message, if no more than it must.
var inFront = [...]int{Framed: 4, Buffered: 0, TTHeader: 18, THeader: 18}

// eachWire runs a test with every framing and protocol.
func eachWire(t *testing.T, f func(t *testing.T, f Framing, p Protocol)) {
	for _, framing := range framings {
		for _, protocol := range protocols {
			if (framing == TTHeader || framing == THeader) && protocol == JSON {
				continue // which there is not
			}
			t.Run(fmt.Sprintf("%v/%v", framing, protocol), func(t *testing.T) { f(t, framing, protocol) })
		}
	}
}
