package thrift

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// saslServer stands in for a server of Hive's: it negotiates, and then s serves. step answers what
// a client says, until it says saslComplete or refuses.
func saslServer(t *testing.T, s *Server, mechanism string, step func(n int, said []byte) (status byte, answer []byte)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	serve := func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		status, said, err := readSASL(conn)
		if err != nil || status != saslStart {
			return
		}
		if string(said) != mechanism {
			_, _ = conn.Write(appendSASL(nil, saslBad, []byte("Unsupported mechanism type "+string(said))))
			return
		}
		for n := 0; ; n++ {
			if status, said, err = readSASL(conn); err != nil || status != saslOK {
				return
			}
			status, answer := step(n, said)
			for _, b := range appendSASL(nil, status, answer) { // as slowly as it can
				if _, err := conn.Write([]byte{b}); err != nil {
					return
				}
			}
			switch status {
			case saslComplete:
				_ = s.ServeConn(conn)
				return
			case saslOK:
			default:
				return
			}
		}
	}
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		_ = s.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

// plain lets anna in.
func plain(_ int, said []byte) (byte, []byte) {
	if string(said) == "\x00anna\x00secret" {
		return saslComplete, nil
	}
	return saslBad, []byte("Error validating the login")
}

func saslPool(t *testing.T, address string, m func() SASLMechanism) *Pool {
	return pool(t, PoolOptions{Addresses: []string{address}, Dial: DialSASL(func(string) (SASLMechanism, error) { return m(), nil }, nil)})
}

func TestSASLPlain(t *testing.T) {
	noLeaks(t)
	s := &Server{Processor: echo, Logger: new(logLines).logger()}
	address := saslServer(t, s, "PLAIN", plain)
	dial := DialSASL(func(string) (SASLMechanism, error) { return SASLPlain("anna", "secret"), nil }, nil)
	p := pool(t, PoolOptions{Addresses: []string{address}, Dial: dial})
	line := pipeline(t, PipelineOptions{Address: address, Dial: dial, Client: ClientOptions{Protocol: Compact}})
	long := strings.Repeat("long ", 1<<16)
	for _, c := range []Caller{p, line} {
		for _, text := range []string{"x", long} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // whose deadline the connection must forget
			if got, err := call(ctx, c, "echo", text); got != text || err != nil {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			cancel()
		}
	}
	if n := s.Stats().Accepted; n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
	for user, want := range map[string]string{"anna": `refuses: "Error validating the login"`, "": "needs a user", "a\x00b": "no byte 0"} {
		_, err := call(t.Context(), saslPool(t, address, func() SASLMechanism { return SASLPlain(user, "guess") }), "echo", "x")
		wantError(t, err, want)
		if !errors.Is(err, ErrNotSent) {
			t.Errorf("%v isn't ErrNotSent", err)
		}
	}
	_, err := DialSASL(func(string) (SASLMechanism, error) { return nil, errors.New("no ticket") }, nil)(t.Context(), "tcp", address)
	wantError(t, err, "thrift: SASL for "+address+": no ticket")
}

// A counting mechanism answers each challenge, and checks what the server says last.
type counting struct{ steps int }

func (*counting) Name() string { return "COUNTING" }

func (c *counting) Next(challenge []byte) ([]byte, error) {
	switch {
	case c.steps == 0 && challenge != nil || c.steps > 0 && challenge == nil:
		return nil, fmt.Errorf("step %d has the challenge %q", c.steps, challenge)
	case string(challenge) == "a lie":
		return nil, errors.New("the server isn't who it should be")
	}
	c.steps++
	return fmt.Append(nil, c.steps), nil
}

func TestSASLOfSeveralSteps(t *testing.T) {
	noLeaks(t)
	for last, want := range map[string]string{"": "", "the truth": "", "a lie": "isn't who it should be"} {
		address := saslServer(t, &Server{Processor: echo, Logger: new(logLines).logger()}, "COUNTING", func(n int, said []byte) (byte, []byte) {
			switch {
			case string(said) != fmt.Sprint(n+1):
				return saslError, said
			case n < 3:
				return saslOK, nil // an empty challenge is one
			}
			return saslComplete, []byte(last)
		})
		got, err := call(t.Context(), saslPool(t, address, func() SASLMechanism { return new(counting) }), "echo", "x")
		switch {
		case want != "":
			wantError(t, err, want)
		case got != "x" || err != nil:
			t.Errorf("%q: %q, %v", last, got, err)
		}
	}
	address := saslServer(t, new(Server), "PLAIN", plain)
	_, err := call(t.Context(), saslPool(t, address, func() SASLMechanism { return new(counting) }), "echo", "x")
	wantError(t, err, "Unsupported mechanism type COUNTING")
	endless := saslServer(t, new(Server), "COUNTING", func(int, []byte) (byte, []byte) { return saslOK, nil })
	_, err = call(t.Context(), saslPool(t, endless, func() SASLMechanism { return new(counting) }), "echo", "x")
	wantError(t, err, "not come to an end in 100 steps")
}

// What isn't a server with SASL ends the attempt with a reason.
func TestSASLWithStrangers(t *testing.T) {
	for answer, want := range map[string]string{
		"":                        "EOF",
		"\x05":                    "unexpected EOF",
		"\x05\x00\x00\x00\x09abc": "within what the server says: unexpected EOF",
		"\x07\x00\x00\x00\x00":    "status 7",
		"HTTP/1.1 400 Bad":        `does the server speak SASL? It begins with "HTTP/"`,
		"\x05\xff\xff\xff\xff":    "4294967295 bytes",
	} {
		err := withPeer(t, func(conn net.Conn) {
			_, _, _ = readSASL(conn)
			_, _, _ = readSASL(conn)
			_, _ = io.Copy(conn, iotest.OneByteReader(bytes.NewReader([]byte(answer))))
		})
		wantError(t, err, want)
	}
}

// withPeer negotiates with a peer of which answer is the part.
func withPeer(t *testing.T, answer func(net.Conn)) error {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer(theirs)
		_ = theirs.Close()
	}()
	_, err := DialSASL(func(string) (SASLMechanism, error) { return SASLPlain("anna", "secret"), nil }, func(context.Context, string, string) (net.Conn, error) { return ours, nil })(t.Context(), "pipe", "peer")
	<-done
	return err
}

// A server that says nothing holds a call up as long as its context lasts, or DialTimeout.
func TestSASLWithASilentServer(t *testing.T) {
	noLeaks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	dial := DialSASL(func(string) (SASLMechanism, error) { return SASLPlain("anna", "secret"), nil }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := dial(ctx, "tcp", l.Addr().String()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	p := pool(t, PoolOptions{Addresses: []string{l.Addr().String()}, Dial: dial, DialTimeout: 20 * time.Millisecond})
	if _, err := call(t.Context(), p, "echo", "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// FuzzSASL has a server say anything.
func FuzzSASL(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x01x\x05\x00\x00\x00\x00"))
	f.Add([]byte("\x03\x00\x00\x00\x02no"))
	f.Fuzz(func(t *testing.T, said []byte) {
		err := withPeer(t, func(conn net.Conn) {
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			_, _ = conn.Write(said)
		})
		if err == nil && (len(said) < 5 || !bytes.Equal(said[:5], []byte{saslComplete, 0, 0, 0, 0})) {
			t.Errorf("%q lets the client in", said)
		}
	})
}
