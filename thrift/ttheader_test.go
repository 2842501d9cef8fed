package thrift

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"strings"
	"testing"
	"time"
)

func sameInfo(a, b Info) bool {
	return maps.Equal(a.Strings, b.Strings) && maps.Equal(a.Numbers, b.Numbers)
}

func TestInfoTravelsBothWays(t *testing.T) {
	seen := make(chan Info, 1)
	address := serve(t, &Server{Processor: functions{"echo": func(ctx context.Context, s string) (string, error) {
		info := ReceivedInfo(ctx)
		seen <- info
		info.Numbers = map[uint16]string{1: "answer"}
		if err := SetAnswerInfo(ctx, Info{Strings: map[string]string{"": "first"}}); err != nil {
			return "", err
		}
		return s, SetAnswerInfo(ctx, info)
	}}})
	c := dial(t, address, TTHeader, Compact)
	for _, sent := range []Info{
		{},
		{Strings: map[string]string{"key": "value", "": "", "long": strings.Repeat("x", math.MaxUint16)}},
		{Numbers: map[uint16]string{0: "", math.MaxUint16: "value", 12: "60000"}},
		{Strings: map[string]string{tokenKey: "token"}},
		{Strings: map[string]string{tokenKey: "token", "key": "value"}, Numbers: map[uint16]string{9: "echo"}},
	} {
		var answer Info
		ctx := WithAnswerInfo(WithInfo(t.Context(), sent), &answer)
		if got, err := call(ctx, c, "echo", "x"); got != "x" || err != nil {
			t.Fatalf("%v: %q, %v", sent, got, err)
		}
		if got := <-seen; !sameInfo(got, sent) {
			t.Errorf("the handler got %v, want %v", got, sent)
		}
		sent.Numbers = map[uint16]string{1: "answer"}
		if !sameInfo(answer, sent) {
			t.Errorf("the client got %v, want %v", answer, sent)
		}
	}
	// One call's is not the next one's.
	var answer Info
	if _, err := call(WithAnswerInfo(t.Context(), &answer), c, "none", "x"); err == nil || !sameInfo(answer, Info{}) {
		t.Errorf("answer of a call without info: %v, %v", answer, err)
	}
}

func TestInfoThatCantBeSent(t *testing.T) {
	many := make(map[string]string)
	for i := range math.MaxUint16 + 1 {
		many[string(binary.BigEndian.AppendUint32(nil, uint32(i)))] = ""
	}
	bad := []Info{
		{Strings: map[string]string{"key": strings.Repeat("x", math.MaxUint16+1)}},
		{Strings: map[string]string{strings.Repeat("x", math.MaxUint16+1): ""}},
		{Strings: many},
		{Numbers: map[uint16]string{1: strings.Repeat("x", math.MaxUint16), 2: strings.Repeat("x", math.MaxUint16), 3: strings.Repeat("x", math.MaxUint16), 4: strings.Repeat("x", math.MaxUint16)}},
	}
	refused := make(chan error, 1)
	address := serve(t, &Server{Processor: functions{"echo": func(ctx context.Context, s string) (string, error) {
		for _, info := range bad {
			if err := SetAnswerInfo(ctx, info); err == nil {
				refused <- errors.New("SetAnswerInfo takes too much")
				return s, nil
			}
		}
		refused <- SetAnswerInfo(ctx, Info{})
		return s, nil
	}}})
	for _, info := range bad {
		c := dial(t, address, TTHeader, Binary)
		if _, err := call(WithInfo(t.Context(), info), c, "echo", "x"); err == nil || !strings.Contains(err.Error(), "info") {
			t.Errorf("%d strings, %d numbers: %v", len(info.Strings), len(info.Numbers), err)
		}
	}
	for f, want := range map[Framing]error{TTHeader: nil, Framed: ErrNoInfo, Buffered: ErrNoInfo} {
		if got, err := call(WithInfo(t.Context(), Info{}), dial(t, address, f, Binary), "echo", "x"); got != "x" || err != nil {
			t.Errorf("%v: %q, %v", f, got, err)
		}
		if err := <-refused; err != want {
			t.Errorf("%v: SetAnswerInfo: %v, want %v", f, err, want)
		}
	}
}

func TestDeadlinesTravel(t *testing.T) {
	deadlines := make(chan time.Duration, 1)
	address := serve(t, &Server{Processor: functions{
		"left": func(ctx context.Context, s string) (string, error) {
			var left time.Duration
			if d, ok := ctx.Deadline(); ok {
				left = time.Until(d)
			}
			deadlines <- left
			return s, nil
		},
		"wait": func(ctx context.Context, _ string) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		},
	}})
	c := dial(t, address, TTHeader, Binary)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, c := range []struct {
		ctx      context.Context
		min, max time.Duration
		by       *Client
	}{
		{t.Context(), 0, 0, c},
		{ctx, 30 * time.Minute, time.Hour, c},
		{ctx, 0, 0, dial(t, address, Framed, Binary)},
		{WithInfo(ctx, Info{Numbers: map[uint16]string{infoTimeout: "7200000"}}), 90 * time.Minute, 2 * time.Hour, c},
		{WithInfo(ctx, Info{Numbers: map[uint16]string{infoTimeout: "0"}}), 0, 0, c},
		{WithInfo(ctx, Info{Numbers: map[uint16]string{infoTimeout: "-5"}}), 0, 0, c},
		{WithInfo(ctx, Info{Numbers: map[uint16]string{infoTimeout: "soon"}}), 0, 0, c},
		{WithInfo(ctx, Info{Numbers: map[uint16]string{infoTimeout: "9223372036854775807"}}), 0, 0, c},
	} {
		if _, err := call(c.ctx, c.by, "left", ""); err != nil {
			t.Fatal(err)
		}
		if left := <-deadlines; left < c.min || left > c.max {
			t.Errorf("the handler has %v, want %v to %v", left, c.min, c.max)
		}
	}
	// The handler is told, and its error is the answer: the client's own time is not over.
	_, err := call(WithInfo(t.Context(), Info{Numbers: map[uint16]string{infoTimeout: "20"}}), c, "wait", "")
	wantException(t, err, Timeout, "deadline exceeded")
}

func TestACallWhoseTimeIsOverBeforeItsTurn(t *testing.T) {
	f, entered, left := waiter()
	address := serve(t, &Server{Processor: f, MaxInFlight: 1, Logger: new(logLines).logger()})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	slow := dial(t, address, TTHeader, Binary)
	go func() {
		_, err := call(ctx, slow, "wait", "")
		first <- err
	}()
	<-entered
	c := dial(t, address, TTHeader, Binary)
	short := WithInfo(t.Context(), Info{Numbers: map[uint16]string{infoTimeout: "20"}})
	_, err := call(short, c, "echo", "x")
	wantException(t, err, Timeout, "before its turn came")
	if err := c.Call(short, "oneway", new(note), nil); err != nil {
		t.Error(err)
	}
	cancel()
	<-left
	<-first
	if got, err := call(t.Context(), c, "echo", "x"); got != "x" || err != nil {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

// A message behind a TTHeader may have a frame of its own.
func TestTTHeaderAndFrame(t *testing.T) {
	for _, p := range protocols {
		conn := pipe(t, &Server{Processor: echo})
		framed := request(Framed, p, CallMessage, "echo", "text", 7)
		b, err := ttFrame(nil, append(make([]byte, Headroom), framed...), ttHeader{seq: 9, protocol: ttBinary})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = conn.Write(b) }()
		c := NewConn(conn, ConnOptions{Framing: TTHeader})
		got, err := c.ReadMessage(t.Context())
		if want := request(Buffered, p, ReplyMessage, "echo", "text", 7); err != nil || !bytes.Equal(got, want) || c.in.head.seq != 9 {
			t.Errorf("%v: got % x, sequence number %d, %v; want % x", p, got, c.in.head.seq, err, want)
		}
	}
}

func TestBadTTHeaders(t *testing.T) {
	good := request(TTHeader, Binary, CallMessage, "echo", "x", 1)
	message := good[inFront[TTHeader]:]
	// with is a message with these bytes in its header, after the size.
	with := func(header string, message []byte) []byte {
		b := append([]byte("\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x01\x00\x00"), header...)
		for len(b)%4 != 2 {
			b = append(b, 0)
		}
		binary.BigEndian.PutUint16(b[12:], uint16((len(b)-14)/4))
		b = append(b, message...)
		binary.BigEndian.PutUint32(b, uint32(len(b)-4))
		return b
	}
	edit := func(at int, by ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], by)
		return b
	}
	for _, c := range []struct {
		name  string
		bytes []byte
		want  string
	}{
		{"too short", []byte("\x00\x00\x00\x04\x10\x00\x00\x00"), "it has 14 at least"},
		{"2 GB", edit(0, 0x7f, 0xff, 0xff, 0xff), "length 2147483647, the limit"},
		{"negative length of the second", append(bytes.Clone(good), 0xff, 0xff, 0xff, 0xff), "length -1"},
		{"another framing for the second", append(bytes.Clone(good), request(Framed, Binary, CallMessage, "echo", "x", 1)...), "magic 0x8001"},
		{"stream", edit(6, 0, 2), "stream"},
		{"header of no size", edit(12, 0, 0), "it has 14 bytes"},
		{"header larger than the message", edit(12, 0xff, 0xff), "it has 262154 bytes"},
		{"protobuf", edit(14, 4), "protocol 4"},
		{"transforms", edit(15, 1, 1), "transforms"},
		{"section", with("\x00\x00\x77", message), "section of kind 0x77"},
		{"no count", with("\x00\x00\x00\x01", message), "ends behind the header"},
		{"more pairs than there are", with("\x00\x00\x01\xff\xff\x00\x01k\x00\x01v", message), "ends behind the header"},
		{"more numbers than there are", with("\x00\x00\x10\xff\xff\x00\x01\x00\x01v", message), "ends behind the header"},
		{"long string", with("\x00\x00\x01\x00\x01\x00\x01k\xff\xff", message), "ends behind the header"},
		{"long token", with("\x00\x00\x11\xff\xff", message), "ends behind the header"},
		{"no message", with("\x00\x00", nil), "no message follows"},
		{"frame too long", with("\x00\x00", append([]byte{0, 0, 1, 0}, message...)), "length 256 behind a TTHeader"},
		{"frame too short", with("\x00\x00", append([]byte{0, 0, 0, 5}, message...)), "length 5 behind a TTHeader"},
		{"message cut off", with("\x00\x00", message[:5]), "unexpected end of input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantRefused(t, c.bytes, c.want)

			client, peer := peers(t, ConnOptions{Framing: TTHeader})
			go func() { _, _ = peer.Write(c.bytes); _ = peer.Close() }()
			var err error
			for range 2 { // some have a good message in front
				if err == nil {
					var msg []byte
					if msg, err = client.ReadMessage(t.Context()); err == nil {
						_, _, err = ParseMessageHeader(msg)
					}
				}
			}
			wantError(t, err, c.want)
		})
	}
}

// wantRefused sends a message that a server must not take. It is answered by an exception, if it
// is known where the next one begins, or else the connection is closed.
func wantRefused(t *testing.T, b []byte, want string) {
	t.Helper()
	var lines, answers logLines
	conn := pipe(t, &Server{Processor: echo, Logger: lines.logger()})
	go func() { _, _ = conn.Write(b) }()
	go func() { _, _ = io.Copy(&answers, conn) }()
	for range 1000 {
		if strings.Contains(lines.String(), want) || strings.Contains(answers.String(), want) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("neither the log nor the answer has %q: %s, %q", want, &lines, &answers)
}

// A header of nothing but pairs is read like any other.
func TestAFloodOfInfo(t *testing.T) {
	const pairs = 65_000 // with the same empty key
	info := binary.BigEndian.AppendUint16([]byte{ttStrings}, pairs)
	info = append(info, make([]byte, 4*pairs)...)
	got := make(chan Info, 1)
	conn := pipe(t, &Server{Processor: functions{"echo": func(ctx context.Context, s string) (string, error) {
		got <- ReceivedInfo(ctx)
		return s, nil
	}}})
	b, err := ttFrame(nil, append(make([]byte, Headroom), request(Buffered, Binary, CallMessage, "echo", "x", 1)...), ttHeader{info: info})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = conn.Write(b) }()
	if _, err := NewConn(conn, ConnOptions{Framing: TTHeader}).ReadMessage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info := <-got; len(info.Strings) != 1 {
		t.Errorf("%d pairs, want 1", len(info.Strings))
	}
}

// The sections of a header can be anything.
func FuzzInfo(f *testing.F) {
	f.Add([]byte("\x01\x00\x01\x00\x03key\x00\x05value\x10\x00\x01\x00\x0c\x00\x0250\x11\x00\x05token\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if eachPair(b, func(pair) bool { return true }) != nil {
			return
		}
		_ = sections{b: b}.timeout()
		info := sections{b: b}.parse()
		again, err := info.append(nil)
		if err != nil {
			return // too large: keys and values may be as long as b
		}
		if err := eachPair(again, func(pair) bool { return true }); err != nil || !sameInfo(sections{b: again}.parse(), info) {
			t.Fatalf("% x is %v, which is written % x: %v", b, info, again, err)
		}
	})
}
