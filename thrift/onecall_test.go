package thrift

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

// A call that can't be made, or whose answer can't be taken, is an error of that call. The
// connection goes on, with all that is under way on it.
func TestOneBadCall(t *testing.T) {
	const limit = 1 << 16
	release := make(chan struct{})
	functions := functions{
		"echo": echo["echo"],
		"long": func(context.Context, string) (string, error) { return strings.Repeat("x", 3*limit), nil },
		"wait": func(ctx context.Context, s string) (string, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return s, nil
		},
	}
	server := &Server{Processor: functions, Decode: Options{Limits: Limits{Message: 2 * limit}}}
	address := serve(t, server)
	long := strings.Repeat("x", 5*limit)
	info := func(n int) context.Context {
		return WithInfo(t.Context(), Info{Strings: map[string]string{"k": strings.Repeat("v", n)}})
	}
	for _, f := range []Framing{Framed, TTHeader, THeader} {
		for _, p := range []Protocol{Binary, Compact, JSON} {
			if f.hasHeader() && p == JSON {
				continue
			}
			conn := ConnOptions{Framing: f, Limits: Limits{Message: limit}}
			pipelined := pipeline(t, PipelineOptions{Address: address, Conn: conn, Client: ClientOptions{Protocol: p}})
			c, err := Dial(t.Context(), "tcp", address, conn)
			if err != nil {
				t.Fatal(err)
			}
			client := NewClient(c, ClientOptions{Protocol: p})
			defer client.Close()
			pooled := pool(t, PoolOptions{Addresses: []string{address}, MaxConns: 1, Conn: conn, Client: ClientOptions{Protocol: p}})
			for name, caller := range map[string]Caller{"client": client, "pool": pooled, "pipeline": pipelined} {
				var wg sync.WaitGroup
				if name == "pipeline" && f.hasHeader() {
					for range 3 {
						wg.Go(func() {
							if got, err := call(t.Context(), caller, "wait", "x"); got != "x" || err != nil {
								t.Errorf("%v, %v, a call beside others: %q, %v", f, p, got, err)
							}
						})
					}
				}
				good := func(after string) {
					t.Helper()
					if got, err := call(t.Context(), caller, "echo", "x"); got != "x" || err != nil {
						t.Errorf("%v, %v, %s after %s: %q, %v", f, p, name, after, got, err)
					}
				}
				good("nothing")
				if f.hasHeader() {
					for _, n := range []int{1 << 16, 300_000} {
						if f == THeader && n < 1<<17 {
							continue // it has room
						}
						_, err := call(info(n), caller, "echo", "x")
						if err == nil || !errors.Is(err, ErrNotSent) && name != "pipeline" {
							t.Errorf("%v, %v, %s: info of %d bytes: %v", f, p, name, n, err)
						}
						good("info that is too long")
					}
				}
				if _, err := call(t.Context(), caller, "long", "x"); err == nil || !strings.Contains(err.Error(), "Limits.Message") {
					t.Errorf("%v, %v, %s: a long answer: %v", f, p, name, err)
				}
				good("a long answer")
				_, err := call(t.Context(), caller, "echo", long)
				wantException(t, err, ProtocolError, "Limits.Message")
				good("a long call")
				if name == "pipeline" {
					close(release)
					wg.Wait()
					release = make(chan struct{})
				}
			}
			if s := pipelined.Stats(); s.Conns != 1 || s.Failures != 0 {
				t.Errorf("%v, %v: the pipeline has %+v", f, p, s)
			}
		}
	}
	if n := server.Stats().Dropped; n != 0 {
		t.Errorf("%d connections were dropped", n)
	}
	// A header that knows no JSON is refused before there is a connection.
	for _, f := range []Framing{TTHeader, THeader} {
		conn := ConnOptions{Framing: f}
		if _, err := NewPool(PoolOptions{Addresses: []string{address}, Conn: conn, Client: ClientOptions{Protocol: JSON}}); err == nil {
			t.Errorf("%v: a pool speaks JSON", f)
		}
		if _, err := NewPipeline(PipelineOptions{Address: address, Conn: conn, Client: ClientOptions{Protocol: JSON}}); err == nil {
			t.Errorf("%v: a pipeline speaks JSON", f)
		}
		c := dial(t, address, f, JSON)
		for range 2 {
			if _, err := call(t.Context(), c, "echo", "x"); err == nil || errors.Is(err, ErrUnusable) || !errors.Is(err, ErrNotSent) {
				t.Errorf("%v: JSON: %v", f, err)
			}
		}
	}
}
