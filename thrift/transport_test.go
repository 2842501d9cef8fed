package thrift

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// peers returns a transport and the other end of its connection.
func peers(t *testing.T, opt ConnOptions) (*Conn, net.Conn) {
	t.Helper()
	a, b := net.Pipe()
	c := NewConn(a, opt)
	t.Cleanup(func() { _, _ = c.Close(), b.Close() })
	return c, b
}

// packet puts the headroom in front of a message.
func packet(text string) []byte { return append(make([]byte, Headroom), text...) }

func TestConnCarriesMessages(t *testing.T) {
	eachWire(t, func(t *testing.T, f Framing, p Protocol) {
		c, peer := peers(t, ConnOptions{Framing: f})
		want := request(f, p, CallMessage, "f", strings.Repeat("x", 10_000), 1)
		go func() { _, _ = peer.Write(append(want, want...)) }()
		for range 2 {
			got, err := c.ReadMessage(t.Context())
			if err != nil || !bytes.HasSuffix(want, got) || len(want)-len(got) != inFront[f] {
				t.Fatalf("got %d bytes, %v", len(got), err)
			}
		}
		sent := make(chan error, 1)
		go func() { sent <- c.WriteMessage(t.Context(), append(make([]byte, Headroom), want[inFront[f]:]...)) }()
		// net.Pipe hands over what one Write writes to no more than one Read.
		got := make([]byte, 20_000)
		n, err := peer.Read(got)
		if f.hasHeader() {
			got[7] &^= flagFarewell // ours alone
		}
		if err != nil || !bytes.Equal(got[:n], want) {
			t.Errorf("one write has sent %d bytes, %v; want %d", n, err, len(want))
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
	})
}

// what blocks, by name
var blocking = []struct {
	name string
	do   func(ctx context.Context, c *Conn) error
}{
	{"read", func(ctx context.Context, c *Conn) error { _, err := c.ReadMessage(ctx); return err }},
	{"write", func(ctx context.Context, c *Conn) error { return c.WriteMessage(ctx, packet("message")) }},
}

// announced calls a function when a read or write begins.
type announced struct {
	net.Conn
	begins func()
}

func (c announced) Read(b []byte) (int, error)  { c.begins(); return c.Conn.Read(b) }
func (c announced) Write(b []byte) (int, error) { c.begins(); return c.Conn.Write(b) }

func TestContextEndsWhatWaits(t *testing.T) {
	for _, b := range blocking {
		t.Run(b.name, func(t *testing.T) {
			noLeaks(t)
			a, peer := net.Pipe()
			defer func() { _ = peer.Close() }()
			ctx, cancel := context.WithCancel(t.Context())
			c := NewConn(announced{a, cancel}, ConnOptions{})
			if err := b.do(ctx, c); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			for _, again := range blocking {
				if err := again.do(t.Context(), c); !errors.Is(err, ErrUnusable) || !errors.Is(err, context.Canceled) {
					t.Errorf("%s afterwards: %v, want ErrUnusable because of context.Canceled", again.name, err)
				}
			}
			if !errors.Is(c.Err(), context.Canceled) {
				t.Errorf("Err: %v", c.Err())
			}

			c, _ = peers(t, ConnOptions{})
			ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := b.do(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("deadline: %v", err)
			}
			if err := b.do(t.Context(), c); !errors.Is(err, ErrUnusable) {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestAContextThatIsDoneBeforeDoesNoHarm(t *testing.T) {
	c, peer := peers(t, ConnOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, b := range blocking {
		if err := b.do(ctx, c); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", b.name, err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, peer) }()
	if err := c.WriteMessage(t.Context(), packet("message")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestADeadlineDoesNotOutliveItsCall(t *testing.T) {
	c, peer := peers(t, ConnOptions{})
	go func() { _, _ = io.Copy(peer, peer) }() // an echo
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if ctx == t.Context() {
			cancel()
			time.Sleep(10 * time.Millisecond)
			_ = c.conn.SetDeadline(past) // as if the hour had passed
		}
		sent := make(chan error, 1)
		go func() { sent <- c.WriteMessage(ctx, packet("message")) }()
		if got, err := c.ReadMessage(ctx); err != nil || string(got) != "message" {
			t.Errorf("got %q, %v", got, err)
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
	}
	cancel()
}

func TestTimeoutsOfAConn(t *testing.T) {
	for _, b := range blocking {
		c, _ := peers(t, ConnOptions{ReadTimeout: 5 * time.Millisecond, WriteTimeout: 5 * time.Millisecond})
		err := b.do(t.Context(), c)
		if !errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(err.Error(), "longer than 5ms") {
			t.Errorf("%s: %v", b.name, err)
		}
	}
}

func TestCloseEndsWhatWaits(t *testing.T) {
	for _, b := range blocking {
		c, _ := peers(t, ConnOptions{})
		time.AfterFunc(5*time.Millisecond, func() { _ = c.Close() })
		if err := b.do(t.Context(), c); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: %v", b.name, err)
		}
		if err := b.do(t.Context(), c); !errors.Is(err, ErrUnusable) || !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s afterwards: %v", b.name, err)
		}
	}
}

func TestTheEndOfAConnection(t *testing.T) {
	for _, framing := range framings {
		b := request(framing, Binary, ReplyMessage, "f", "text", 1)
		for cut := range b {
			c, peer := peers(t, ConnOptions{Framing: framing})
			go func() { _, _ = peer.Write(b[:cut]); _ = peer.Close() }()
			_, err := c.ReadMessage(t.Context())
			want := io.ErrUnexpectedEOF
			if cut == 0 {
				want = io.EOF
			}
			if !errors.Is(err, want) {
				t.Errorf("%v cut at %d: %v, want %v", framing, cut, err, want)
			}
		}
	}
}

// A reader that gives nothing and no error would be asked for ever.
type idler struct{ net.Conn }

func (idler) Read([]byte) (int, error) { return 0, nil }

func TestAConnectionWithoutProgress(t *testing.T) {
	a, _ := net.Pipe()
	if _, err := NewConn(idler{a}, ConnOptions{}).ReadMessage(t.Context()); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

func TestDialFails(t *testing.T) {
	if _, err := Dial(t.Context(), "tcp", "127.0.0.1:0", ConnOptions{}); err == nil {
		t.Error("no error")
	}
}
