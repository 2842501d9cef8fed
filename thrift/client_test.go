package thrift

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// puppet returns a client whose server is a function from a call's bytes,
// without their frame, to the answer's.
func puppet(t *testing.T, p Protocol, answer func(call []byte) []byte) *Client {
	t.Helper()
	noLeaks(t)
	a, b := net.Pipe()
	server := NewConn(b, ConnOptions{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			call, err := server.ReadMessage(context.Background())
			if err != nil {
				return
			}
			if out := answer(call); out != nil {
				_ = server.WriteMessage(context.Background(), append(make([]byte, Headroom), out...))
			}
		}
	}()
	c := NewClient(NewConn(a, ConnOptions{}), ClientOptions{Protocol: p})
	t.Cleanup(func() {
		_, _ = c.Close(), server.Close()
		<-done
	})
	return c
}

// reply is an answer's bytes.
func reply(p Protocol, kind MessageType, name string, seq int32, body ...byte) []byte {
	return append(AppendMessageHeader(nil, p, name, kind, seq), body...)
}

func TestAnswersThatAreNotTheCalls(t *testing.T) {
	body, _ := (&note{Text: "x"}).AppendBinary(nil)
	for _, c := range []struct {
		name   string
		answer []byte
		kind   ExceptionType
		text   string
	}{
		{"sequence number", reply(Binary, ReplyMessage, "f", 2, body...), BadSequenceID, "answer has sequence number 2, the call has 1"},
		{"sequence number of an exception", reply(Binary, ExceptionMessage, "f", 0, 0), BadSequenceID, "answer has sequence number 0"},
		{"name", reply(Binary, ReplyMessage, "g", 1, body...), WrongMethodName, `that of "g"`},
		{"a call", reply(Binary, CallMessage, "f", 1, body...), InvalidMessageType, "message of type call"},
		{"no type", reply(Binary, 9, "f", 1, body...), InvalidMessageType, "MessageType(9)"},
		{"protocol", reply(Compact, ReplyMessage, "f", 1, 0), -1, "it is in the compact protocol, the call was in the binary one"},
		{"version", []byte{0x80, 2, 0, 1}, -1, "bad version 0x80020001"},
		{"cut header", []byte{0x80, 1, 0}, -1, "unexpected end of input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := puppet(t, Binary, func([]byte) []byte { return c.answer })
			_, err := call(t.Context(), client, "f", "")
			if c.kind >= 0 {
				wantException(t, err, c.kind, c.text)
			} else {
				wantError(t, err, c.text)
			}
			_, err = call(t.Context(), client, "f", "")
			if !errors.Is(err, ErrUnusable) || client.Err() == nil {
				t.Errorf("afterwards: %v, want ErrUnusable", err)
			}
		})
	}
}

func TestBadBodiesLeaveTheConnectionUsable(t *testing.T) {
	body, _ := (&note{Text: "x"}).AppendBinary(nil)
	answers := [][]byte{
		reply(Binary, ReplyMessage, "f", 1, body[:4]...),
		reply(Binary, ReplyMessage, "f", 2, append(body, 1, 2)...),
		reply(Binary, ExceptionMessage, "f", 3, 11, 0),
		reply(OldBinary, ReplyMessage, "f", 4, body...), // binary all the same
	}
	client := puppet(t, Binary, func([]byte) []byte {
		a := answers[0]
		answers = answers[1:]
		return a
	})
	for _, want := range []string{"byte", "2 bytes more than the message", "unexpected end of input", ""} {
		_, err := call(t.Context(), client, "f", "")
		if want != "" {
			wantError(t, err, want)
		} else if err != nil {
			t.Errorf("good answer: %v", err)
		}
	}
}

func TestArgumentsThatCantBeEncoded(t *testing.T) {
	client := NewClient(Local(&Server{Processor: echo}), ClientOptions{})
	if err := client.Call(t.Context(), "echo", &note{bad: true}, new(note)); !errors.Is(err, errBadNote) {
		t.Errorf("got %v", err)
	}
	if got, err := call(t.Context(), client, "echo", "x"); got != "x" || err != nil {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

func TestAClientIsForSeveralGoroutines(t *testing.T) {
	client := puppet(t, Compact, func(b []byte) []byte {
		h, n, err := ParseMessageHeader(b)
		if err != nil {
			t.Error(err)
		}
		return reply(Compact, ReplyMessage, string(h.Name), h.Seq, b[n:]...)
	})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			text := strings.Repeat("x", i)
			if got, err := call(t.Context(), client, "f", text); got != text || err != nil {
				t.Errorf("call %d: %q, %v", i, got, err)
			}
		})
	}
	wg.Wait()
}

func TestWaitingForOnesTurn(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	client := puppet(t, Binary, func(b []byte) []byte {
		h, n, _ := ParseMessageHeader(b)
		if string(h.Name) == "slow" {
			close(arrived)
			<-release
		}
		return reply(Binary, ReplyMessage, string(h.Name), h.Seq, b[n:]...)
	})
	first := make(chan error)
	go func() {
		_, err := call(t.Context(), client, "slow", "")
		first <- err
	}()
	<-arrived
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := call(ctx, client, "f", "")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "waiting for the connection") {
		t.Errorf("call that has to wait: %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("call that was under way: %v", err)
	}
	if _, err := call(ctx, client, "f", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("call with a context that is over: %v", err)
	}
	if _, err := call(t.Context(), client, "f", ""); err != nil {
		t.Errorf("call afterwards: %v", err)
	}
}

func TestACancelledCall(t *testing.T) {
	arrived := make(chan struct{})
	client := puppet(t, Binary, func([]byte) []byte { close(arrived); return nil })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := call(ctx, client, "f", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := call(t.Context(), client, "f", ""); !errors.Is(err, ErrUnusable) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAServerThatHangsUp(t *testing.T) {
	a, b := net.Pipe()
	client := NewClient(NewConn(a, ConnOptions{}), ClientOptions{})
	go func() { _, _ = io.ReadFull(b, make([]byte, 10)); _ = b.Close() }()
	if _, err := call(t.Context(), client, "f", ""); err == nil {
		t.Error("no error")
	}
	if _, err := call(t.Context(), client, "f", ""); !errors.Is(err, ErrUnusable) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestOnewayReturnsAfterTheWrite(t *testing.T) {
	got := make(chan MessageType, 1)
	client := puppet(t, Binary, func(b []byte) []byte {
		h, _, _ := ParseMessageHeader(b)
		got <- h.Type
		return nil
	})
	if err := client.Call(t.Context(), "f", new(note), nil); err != nil {
		t.Error(err)
	}
	if kind := <-got; kind != OnewayMessage {
		t.Errorf("message of type %v", kind)
	}
}
