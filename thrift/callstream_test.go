package thrift

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// streaming is a processor by hand, with functions that stream.
type streaming struct {
	release chan struct{} // "hold" waits for it
	over    chan error    // what cancelled "hold" and "wait"
}

func (p *streaming) Process(ctx context.Context, c *Call) {
	switch c.Function {
	case "chat": // answers each message
		AnswerBidirectional(ctx, c, func(ctx context.Context, in *Receiver[*note], out *Sender[*note]) error {
			if err := out.SetHeader(Info{Strings: map[string]string{"first": ReceivedInfo(ctx).Strings["from"]}}); err != nil {
				return err
			}
			if err := SetAnswerInfo(ctx, Info{Strings: map[string]string{"last": "x"}}); err != nil {
				return err
			}
			for m, err := range in.All() {
				if err != nil {
					return err
				}
				switch m.Text {
				case "fail":
					return errors.New("chat has failed")
				case "refuse":
					return &ApplicationException{ProtocolError, "refused"}
				case "panic":
					panic(m.Text)
				}
				if err := out.Send(&note{Text: "re: " + m.Text}); err != nil {
					return err
				}
			}
			return nil
		})
	case "join":
		AnswerClientStream(ctx, c, func(_ context.Context, in *Receiver[*note]) (*note, error) {
			var all strings.Builder
			for m, err := range in.All() {
				if err != nil {
					return nil, err
				}
				all.WriteString(m.Text)
			}
			return &note{Text: all.String()}, nil
		})
	case "split":
		AnswerServerStream(ctx, c, func(_ context.Context, m *note, out *Sender[*note]) error {
			return out.SendAll(func(yield func(*note) bool) {
				for word := range strings.FieldsSeq(m.Text) {
					if !yield(&note{Text: word}) {
						return
					}
				}
			})
		})
	case "hold": // reads nothing for a while
		AnswerClientStream(ctx, c, func(ctx context.Context, in *Receiver[*note]) (*note, error) {
			select {
			case <-p.release:
			case <-ctx.Done():
				p.over <- ctx.Err()
				return nil, ctx.Err()
			}
			n := 0
			for m, err := range in.All() {
				if err != nil {
					p.over <- err
					return nil, err
				}
				n += len(m.Text)
			}
			return &note{Text: fmt.Sprint(n)}, nil
		})
	case "wait": // for the end of its context, or the server's
		AnswerBidirectional(ctx, c, func(ctx context.Context, in *Receiver[*note], out *Sender[*note]) error {
			if err := out.Send(&note{Text: "waits"}); err != nil {
				p.over <- err
				return err
			}
			select {
			case <-Stopping(ctx):
				return out.Send(&note{Text: "stopped"})
			case <-ctx.Done():
				_, err := in.Recv()
				p.over <- err
				return ctx.Err()
			}
		})
	default:
		echo.Process(ctx, c)
	}
}

func newStreaming() *streaming {
	return &streaming{release: make(chan struct{}), over: make(chan error, 10)}
}

// streams opens streams to a server.
func streams(t testing.TB, o StreamsOptions) *Streams {
	t.Helper()
	s, err := NewStreams(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func chat(t testing.TB, ctx context.Context, s Streamer, function string) (*Sender[*note], *Receiver[*note]) {
	t.Helper()
	out, in, err := OpenBidirectional[*note, *note](ctx, s, "S", function)
	if err != nil {
		t.Fatal(err)
	}
	return out, in
}

// texts receives to the end of a stream.
func texts(in *Receiver[*note]) (list []string, err error) {
	for m, err := range in.All() {
		if err != nil {
			return list, err
		}
		list = append(list, m.Text)
	}
	return list, nil
}

// Messages go both ways, with what belongs to the beginning and to the end.
func TestStreams(t *testing.T) {
	address := serve(t, &Server{Processor: newStreaming()})
	s := streams(t, StreamsOptions{Address: address})
	ctx := WithInfo(t.Context(), Info{Strings: map[string]string{"from": "me"}})
	out, in := chat(t, ctx, s, "chat")
	for i := range 3 {
		if err := out.Send(&note{Text: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if m, err := in.Recv(); err != nil || m.Text != fmt.Sprint("re: ", i) {
			t.Fatalf("%v, %v", m, err)
		}
	}
	if head, err := in.Header(); err != nil || head.Strings["first"] != "me" {
		t.Errorf("header: %v, %v", head, err)
	}
	if err := out.CloseSend(); err != nil {
		t.Fatal(err)
	}
	wantError(t, out.Send(&note{}), "its end was sent already")
	if list, err := texts(in); len(list) != 0 || err != nil {
		t.Errorf("behind the end: %q, %v", list, err)
	}
	if tail := in.Trailer(); tail.Strings["last"] != "x" {
		t.Errorf("trailer: %v", tail)
	}
	if err := out.Send(&note{}); err == nil {
		t.Error("a message is sent behind the end")
	}

	up, err := OpenClientStream[*note, *note](t.Context(), s, "", "join")
	if err != nil {
		t.Fatal(err)
	}
	if err := up.SendAll(slices.Values([]*note{{Text: "a"}, {Text: "b"}, {}, {Text: "c"}})); err != nil {
		t.Fatal(err)
	}
	if got, err := up.CloseAndRecv(); err != nil || got.Text != "abc" {
		t.Errorf("join: %v, %v", got, err)
	}

	in, err = OpenServerStream[*note](t.Context(), s, "", "split", &note{Text: "x y z"})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := texts(in); err != nil || !slices.Equal(list, []string{"x", "y", "z"}) {
		t.Errorf("split: %q, %v", list, err)
	}
}

// An error ends one stream, and says what has been.
func TestStreamErrors(t *testing.T) {
	server := &Server{Processor: Multiplexed{"": InterceptProcessor(newStreaming())}}
	address := serve(t, server)
	s := streams(t, StreamsOptions{Address: address})
	for text, want := range map[string]ApplicationException{
		"fail":   {InternalError, "chat: chat has failed"},
		"refuse": {ProtocolError, "refused"},
		"panic":  {InternalError, "chat: internal error"},
	} {
		out, in := chat(t, t.Context(), s, "chat")
		if err := out.SendAll(slices.Values([]*note{{Text: "x"}, {Text: text}})); err != nil {
			t.Fatal(err)
		}
		list, err := texts(in)
		var e *ApplicationException
		if !errors.As(err, &e) || *e != want || !slices.Equal(list, []string{"re: x"}) {
			t.Errorf("%s: %q, %v, want %v", text, list, err, want)
		}
	}
	for function, want := range map[string]ExceptionType{"nothing": UnknownMethod, "echo": InvalidMessageType} {
		_, in := chat(t, t.Context(), s, function)
		_, err := in.Recv()
		if e := (*ApplicationException)(nil); !errors.As(err, &e) || e.Type != want {
			t.Errorf("%s: %v, want %v", function, err, want)
		}
		if _, err := in.Header(); err != nil && !errors.As(err, new(*ApplicationException)) {
			t.Errorf("header of %s: %v", function, err)
		}
	}
	// A call without a stream.
	c := dial(t, address, TTHeader, Binary)
	_, err := call(t.Context(), c, "chat", "x")
	if e := (*ApplicationException)(nil); !errors.As(err, &e) || e.Type != InvalidMessageType {
		t.Errorf("a call of chat: %v", err)
	}
	// What can't be sent, decoded, or connected to.
	out, in := chat(t, t.Context(), s, "chat")
	if err := out.Send(&note{bad: true}); !errors.Is(err, errBadNote) {
		t.Errorf("a message that can't be written: %v", err)
	}
	if err := out.Send(&note{Text: "x"}); err != nil {
		t.Errorf("a good one behind it: %v", err)
	}
	in.Cancel()
	if _, err := in.Recv(); !errors.Is(err, context.Canceled) {
		t.Errorf("after Cancel: %v", err)
	}
	if err := out.Send(&note{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Send after Cancel: %v", err)
	}
	_, err = s.OpenStream(WithInfo(t.Context(), Info{Numbers: map[uint16]string{27: "x"}}), "", "chat")
	if !errors.Is(err, ErrNotSent) {
		t.Errorf("a number of Kitex's own: %v", err)
	}
	_, err = s.OpenStream(t.Context(), "", strings.Repeat("x", 1<<16))
	if !errors.Is(err, ErrNotSent) {
		t.Errorf("a name of 65,536 bytes: %v", err)
	}
}

// The end of a context, of a loop and of the connection ends the stream at both sides.
func TestStreamsAreCancelled(t *testing.T) {
	p := newStreaming()
	server := &Server{Processor: p}
	s := streams(t, StreamsOptions{Address: serve(t, server)})
	ended := func(what string, want error) {
		t.Helper()
		if err := <-p.over; !errors.Is(err, want) {
			t.Errorf("%s: the handler's stream ended by %v, want %v", what, err, want)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	_, in := chat(t, ctx, s, "wait")
	if _, err := in.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := in.Recv(); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ended("cancelled", context.Canceled)

	_, in = chat(t, t.Context(), s, "wait")
	for _, err := range in.All() {
		if err != nil {
			t.Error(err)
		}
		break
	}
	ended("loop left", context.Canceled)

	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	out, in, err := OpenBidirectional[*note, *note](ctx, s, "", "wait") // or its time is over already
	if err == nil {
		if _, err = texts(in); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("over time: %v", err)
		}
		if err := out.Send(&note{}); err == nil {
			t.Error("a message is sent after the deadline")
		}
		<-p.over // by the deadline of its own, or cancelled
	}

	one := streams(t, StreamsOptions{Address: s.opt.Address, MaxStreams: 1})
	_, in = chat(t, t.Context(), one, "wait")
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := one.OpenStream(ctx, "", "wait"); !errors.Is(err, context.Canceled) || !errors.Is(err, ErrNotSent) {
		t.Errorf("a stream too many: %v", err)
	}
	if _, err := in.Recv(); err != nil {
		t.Fatal(err)
	}
	_ = one.Close()
	if _, err := texts(in); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	ended("closed", context.Canceled)
	if _, err := one.OpenStream(t.Context(), "", "wait"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("opened when closed: %v", err)
	}

	out, in = chat(t, t.Context(), s, "chat")
	if err := out.Send(&note{}); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Recv(); err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	if _, err := in.Recv(); err == nil || err == io.EOF {
		t.Errorf("the server's death: %v", err)
	}
}

// A client whose stream isn't read has to wait, and loses nothing.
func TestAnUnreadStreamWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newStreaming()
		const most, size, n = 8 << 10, 1000, 100
		server := &Server{Processor: p, MaxUnread: most}
		s := streams(t, StreamsOptions{Address: "x", Dial: func(context.Context, string, string) (net.Conn, error) { return pipe(t, server), nil }})
		up, err := OpenClientStream[*note, *note](t.Context(), s, "", "hold")
		if err != nil {
			t.Fatal(err)
		}
		var sent atomic.Int64
		go func() {
			for range n {
				if err := up.Send(&note{Text: strings.Repeat("x", size)}); err != nil {
					t.Error(err)
					return
				}
				sent.Add(1)
			}
		}()
		time.Sleep(time.Second) // of the bubble: everybody waits
		if got := sent.Load(); got == 0 || got > 12 {
			t.Errorf("%d messages of %d bytes were sent that nobody reads, with room for %d bytes", got, size, most)
		}
		close(p.release)
		synctest.Wait()
		if got, err := up.CloseAndRecv(); err != nil || got.Text != fmt.Sprint(size*n) {
			t.Errorf("%v, %v", got, err)
		}

		// Nor does the client keep what its program doesn't read, and both find the other's end meanwhile.
		one := streams(t, StreamsOptions{Address: "x", MaxUnread: most, Dial: s.opt.Dial})
		in, err := OpenServerStream[*note](t.Context(), one, "", "split", &note{Text: strings.Repeat(strings.Repeat("x", size)+" ", n)})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := in.s.unread(); got == 0 || got > most {
			t.Errorf("%d bytes are kept that nobody reads, with room for %d", got, most)
		}
		if list, err := texts(in); len(list) != n || err != nil {
			t.Errorf("%d messages, %v, want %d", len(list), err, n)
		}
		p.release = make(chan struct{})
		up, err = OpenClientStream[*note, *note](t.Context(), s, "", "hold")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for up.Send(&note{Text: strings.Repeat("x", size)}) == nil {
			}
		}()
		time.Sleep(time.Second)
		up.Receiver().Cancel()
		close(p.release) // TCP has no way to tell before what was sent is read
		if err := <-p.over; !errors.Is(err, context.Canceled) {
			t.Errorf("a stream that waits was cancelled: %v", err)
		}
	})
}

// A raw client of streams: frames as they come.
type raw struct {
	t    *testing.T
	conn net.Conn
	in   inbox
}

func newRaw(t *testing.T, s *Server) *raw {
	conn, err := net.Dial("tcp", serve(t, s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	r := &raw{t: t, conn: conn}
	r.in.configure(TTHeader, Limits{})
	r.in.streams = true
	return r
}

func (r *raw) send(id int32, kind byte, function, text string) {
	r.t.Helper()
	msg := make([]byte, Headroom)
	if kind == frameData {
		msg, _ = (&note{Text: text}).AppendBinary(msg)
	}
	b, err := streamFrame(nil, msg, id, kind, function, nil)
	if err == nil {
		_, err = r.conn.Write(b)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// want reads frames up to the next that isn't a header, and says what is wrong with it.
func (r *raw) want(id int32, kind byte, text string) {
	r.t.Helper()
	for {
		r.in.release()
		b, err := r.in.message()
		for b == nil && err == nil {
			var n int
			n, err = r.conn.Read(r.in.room())
			r.in.filled(n)
			if err == nil {
				b, err = r.in.message()
			}
		}
		if err != nil {
			r.t.Fatalf("want frame %c of stream %d: %v", kind, id, err)
		}
		got, _ := r.in.info().frame()
		if got == frameHeader {
			continue
		}
		if r.in.head.seq != id || got != kind || !strings.Contains(string(b), text) {
			r.t.Fatalf("got frame %q of stream %d: %q, want %q of %d: %q", got, r.in.head.seq, b, kind, id, text)
		}
		return
	}
}

// Streams and calls on one connection don't hold each other up, and what is wrong ends one of them.
func TestStreamsShareAConnection(t *testing.T) {
	p := newStreaming()
	server := &Server{Processor: p, MaxUnread: 8 << 10, MaxStreams: 3, Decode: Options{Limits: Limits{Message: 64 << 10}}}
	r := newRaw(t, server)
	r.send(1, frameHeader, "chat", "")
	r.send(2, frameHeader, "hold", "")
	for range 2 {
		r.send(2, frameData, "hold", strings.Repeat("x", 7<<10))
	}
	r.want(2, frameReset, "too much of the stream was unread")
	<-p.over
	r.send(2, frameData, "hold", "late") // is dropped
	chat := func(id int32) {
		t.Helper()
		r.send(id, frameData, "chat", "x")
		r.want(id, frameData, "re: x")
	}
	chat(1)
	for _, anyOrder := range []bool{true, false, false} {
		b, err := ttFrame(nil, append(make([]byte, Headroom), request(Buffered, Binary, CallMessage, "echo", "call", 7)...), ttHeader{seq: 7, anyOrder: anyOrder})
		if err == nil {
			_, err = r.conn.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.want(7, 0, "call")
	}
	// A message that is too long, one of another protocol, and one of no type.
	r.send(3, frameHeader, "chat", "")
	r.send(3, frameData, "chat", strings.Repeat("x", 65<<10))
	r.want(3, frameReset, "the limit of a message")
	chat(1)
	for i, edit := range []struct {
		at   int
		by   byte
		want string
	}{{14, ttStruct + 1, "protocol 0x11"}, {15, 1, "transforms"}, {23, '9', "frame of type"}} {
		id := int32(10 + i)
		r.send(id, frameHeader, "chat", "")
		chat(id)
		b, err := streamFrame(nil, make([]byte, Headroom), id, frameData, "chat", nil)
		if err != nil {
			t.Fatal(err)
		}
		b[edit.at] = edit.by
		if _, err := r.conn.Write(b); err != nil {
			t.Fatal(err)
		}
		r.want(id, frameReset, edit.want)
		chat(1)
	}
	// A stream too many, once their handlers are over.
	held := []int32{20, 21}
	for _, id := range held {
		r.send(id, frameHeader, "chat", "")
		r.send(id, frameData, "chat", "x")
		for {
			if r.answered(id) {
				break
			}
			r.send(id, frameHeader, "chat", "") // the handler of a stream that was reset ran on
			r.send(id, frameData, "chat", "x")
		}
	}
	r.send(30, frameHeader, "chat", "")
	r.want(30, frameReset, "Server.MaxStreams")
	chat(1)
	// The end of one.
	r.send(1, frameTrailer, "chat", "")
	r.want(1, frameTrailer, "")
	r.send(20, frameReset, "chat", "")
	chat(21)
}

// answered reports whether the next frame is an answer of the stream, and no reset.
func (r *raw) answered(id int32) bool {
	r.t.Helper()
	for {
		r.in.release()
		b, err := r.in.message()
		for b == nil && err == nil {
			var n int
			n, err = r.conn.Read(r.in.room())
			r.in.filled(n)
			if err == nil {
				b, err = r.in.message()
			}
		}
		if err != nil {
			r.t.Fatal(err)
		}
		switch kind, _ := r.in.info().frame(); {
		case kind == frameData && r.in.head.seq == id:
			return true
		case kind == frameReset && r.in.head.seq == id:
			return false
		}
	}
}

// All that is unread on a connection together has a limit too.
func TestUnreadOfAConnection(t *testing.T) {
	p := newStreaming()
	r := newRaw(t, &Server{Processor: p, MaxUnread: 60 << 10, Decode: Options{Limits: Limits{Message: 64 << 10}}})
	for id, n := range []int{10, 50, 20} {
		r.send(int32(id), frameHeader, "hold", "")
		r.send(int32(id), frameData, "hold", strings.Repeat("x", n<<10))
	}
	r.want(1, frameReset, "too much of the stream was unread") // which has the most
	close(p.release)
	for id, want := range map[int32]string{0: "10240", 2: "20480"} {
		r.send(id, frameTrailer, "hold", "")
		r.want(id, frameData, want)
		r.want(id, frameTrailer, "")
	}
}

// Shutdown waits for streams, and their handlers can know.
func TestShutdownWaitsForStreams(t *testing.T) {
	p := newStreaming()
	server := &Server{Processor: p}
	s := streams(t, StreamsOptions{Address: serve(t, server)})
	_, told := chat(t, t.Context(), s, "wait")
	out, in := chat(t, t.Context(), s, "chat")
	if _, err := told.Recv(); err != nil {
		t.Fatal(err)
	}
	if err := out.Send(&note{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Recv(); err != nil {
		t.Fatal(err)
	}
	down := make(chan error, 1)
	go func() { down <- server.Shutdown(t.Context()) }()
	if list, err := texts(told); err != nil || !slices.Equal(list, []string{"stopped"}) {
		t.Errorf("the handler that looks: %q, %v", list, err)
	}
	for range 3 {
		if err := out.Send(&note{Text: "x"}); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-down:
		t.Errorf("Shutdown has returned under a stream: %v", err)
	default:
	}
	if err := out.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if list, err := texts(in); len(list) > 0 || err != nil {
		t.Errorf("%q, %v", list, err)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
}

// Many streams at a time, some of which are given up, leave nothing behind.
func TestManyStreams(t *testing.T) {
	s := streams(t, StreamsOptions{Address: serve(t, &Server{Processor: newStreaming()}), MaxStreams: 8})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			out, in := chat(t, t.Context(), s, "chat")
			wg := sync.WaitGroup{}
			wg.Go(func() {
				for k := range 50 {
					if out.Send(&note{Text: fmt.Sprint(k)}) != nil {
						return
					}
				}
				if err := out.CloseSend(); err != nil && i%2 == 0 {
					t.Error(err)
				}
			})
			n := 0
			for m, err := range in.All() {
				if err != nil || m.Text != fmt.Sprint("re: ", n) {
					t.Errorf("%v, %v", m, err)
					break
				}
				if n++; i%2 == 1 && n == 20 {
					break
				}
			}
			if i%2 == 0 && n != 50 {
				t.Errorf("%d messages, want 50", n)
			}
			wg.Wait()
		})
	}
	wg.Wait()
}

// Services are told apart by the name that Kitex's clients send.
func TestStreamsOfSeveralServices(t *testing.T) {
	address := serve(t, &Server{Processor: Multiplexed{"A": newStreaming(), "B": functions{}}})
	s := streams(t, StreamsOptions{Address: address})
	for service, want := range map[string]ExceptionType{"A": 0, "B": UnknownMethod, "": UnknownMethod} {
		out, in, err := OpenBidirectional[*note, *note](t.Context(), s, service, "chat")
		if err != nil {
			t.Fatal(err)
		}
		_ = out.CloseSend()
		_, err = in.Recv()
		if e := (*ApplicationException)(nil); (want != 0 || err != io.EOF) && (!errors.As(err, &e) || e.Type != want) {
			t.Errorf("service %q: %v", service, err)
		}
	}
}

// A bytesConn is a connection on which b arrives, and then its end.
type bytesConn struct {
	net.Conn
	mu sync.Mutex
	b  []byte
}

func (c *bytesConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, c.b)
	c.b = c.b[n:]
	return n, nil
}

func (c *bytesConn) Write(b []byte) (int, error)      { return len(b), nil }
func (c *bytesConn) Close() error                     { return nil }
func (c *bytesConn) RemoteAddr() net.Addr             { return nil }
func (c *bytesConn) SetDeadline(time.Time) error      { return nil }
func (c *bytesConn) SetReadDeadline(time.Time) error  { return nil }
func (c *bytesConn) SetWriteDeadline(time.Time) error { return nil }

// FuzzStreamFrames has either side say anything: it ends, with an error or without.
func FuzzStreamFrames(f *testing.F) {
	for _, kinds := range []string{"2333", "234", "25", "2", "3", "4", "5", "22", "1", "x"} {
		var all []byte
		for i, kind := range []byte(kinds) {
			msg := make([]byte, Headroom)
			if kind == frameData {
				msg, _ = (&note{Text: "split me"}).AppendBinary(msg)
			}
			b, err := streamFrame(nil, msg, 1+int32(i/3), kind, []string{"chat", "join", "split", "echo"}[i%4], nil)
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, b...)
		}
		f.Add(all)
	}
	e, err := exceptionFrame(1, frameTrailer, "chat", &ApplicationException{Message: "x"}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(e)
	f.Fuzz(func(t *testing.T, b []byte) {
		server := &Server{Processor: newStreaming(), MaxUnread: 100, MaxStreams: 2, Logger: new(logLines).logger()}
		if err := server.ServeConn(&bytesConn{b: b}); err != nil {
			t.Fatal(err)
		}
		s := streams(t, StreamsOptions{Address: "x", MaxUnread: 100, Dial: func(context.Context, string, string) (net.Conn, error) { return &bytesConn{b: b}, nil }})
		out, in := chat(t, t.Context(), s, "chat")
		for range 3 {
			_ = out.Send(&note{Text: "x"})
		}
		_ = out.CloseSend()
		for range in.All() {
		}
		_, _ = in.Header()
	})
}
