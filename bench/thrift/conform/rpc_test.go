//go:build seam_thrift_peers

package conform

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/thrift"
)

// handler is a server of Echo, as peers/cpp/peer.cpp has one.
type handler struct {
	mu   sync.Mutex
	kept []string
}

func (h *handler) Ping(context.Context) (string, error) { return "pong", nil }

func (h *handler) Echo(_ context.Context, e *Everything) (*Everything, error) { return e, nil }

func (h *handler) Add(_ context.Context, a, b int64) (int64, error) { return a + b, nil }

func (h *handler) Nothing(context.Context) error { return nil }

func (h *handler) Fail(_ context.Context, what string) error {
	switch what {
	case "missing":
		return &NotFound{Name: what}
	case "failure":
		return &Failure{Code: 7, Reason: what, Place: &Point{X: 1, Y: 2}}
	}
	return errors.New(what)
}

func (h *handler) Note(_ context.Context, text string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, text)
	return nil
}

func (h *handler) Notes(context.Context) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept, nil
}

// Both transports, as peers name them.
var framings = map[string]thrift.Framing{"framed": thrift.Framed, "buffered": thrift.Buffered}

var wires = map[string]thrift.Protocol{"binary": thrift.Binary, "old": thrift.OldBinary, "compact": thrift.Compact}

func TestPythonClientToOurServer(t *testing.T) {
	python := peers[1]
	for _, framing := range []string{"framed", "buffered", "theader", "zlib"} {
		for wire := range wires {
			if _, ok := framings[framing]; !ok && wire == "old" {
				continue
			}
			t.Run(framing+"/"+wire, func(t *testing.T) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				// It finds out by itself what clients speak.
				s := &thrift.Server{Processor: NewEchoProcessor(&handler{})}
				served := make(chan error, 1)
				go func() { served <- s.Serve(l) }()
				host, port, err := net.SplitHostPort(l.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				out, err := python.command(t, "client", wire, framing, host, port).CombinedOutput()
				if err != nil || strings.TrimSpace(string(out)) != "ok" {
					t.Errorf("the client says: %v\n%s", err, out)
				}
				if err := s.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if err := <-served; !errors.Is(err, thrift.ErrServerClosed) {
					t.Errorf("Serve: %v", err)
				}
			})
		}
	}
}

func TestOurClientToCPPServer(t *testing.T) {
	cpp := peers[0]
	for framing := range framings {
		for wire := range wires {
			t.Run(framing+"/"+wire, func(t *testing.T) {
				server := cpp.command(t, "server", wire, framing)
				out, err := server.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				var stderr bytes.Buffer
				server.Stderr = &stderr
				if err := server.Start(); err != nil {
					t.Fatal(err)
				}
				defer func() {
					server.Process.Kill()
					server.Wait()
					if t.Failed() {
						t.Logf("the server said: %s", stderr.Bytes())
					}
				}()
				port, err := bufio.NewReader(out).ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				conn, err := thrift.Dial(ctx, "tcp", "127.0.0.1:"+strings.TrimSpace(port), thrift.ConnOptions{Framing: framings[framing]})
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				callAll(t, ctx, NewEchoClient(thrift.NewClient(conn, thrift.ClientOptions{Protocol: wires[wire]})))
			})
		}
	}
}

// Our clients, a call at a time and many, call Apache's server for Python over its THeaderTransport.
func TestOurClientToPythonTHeaderServer(t *testing.T) {
	python := peers[1]
	for _, framing := range []string{"theader", "zlib"} {
		for _, wire := range []string{"binary", "compact"} {
			t.Run(framing+"/"+wire, func(t *testing.T) {
				server := python.command(t, "server", wire, framing)
				end, err := server.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				out, err := server.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				var stderr bytes.Buffer
				server.Stderr = &stderr
				if err := server.Start(); err != nil {
					t.Fatal(err)
				}
				defer func() {
					end.Close()
					server.Wait()
					if t.Failed() {
						t.Logf("the server said: %s", stderr.Bytes())
					}
				}()
				port, err := bufio.NewReader(out).ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				address := "127.0.0.1:" + strings.TrimSpace(port)
				opt := thrift.ConnOptions{Framing: thrift.THeader, Zlib: framing == "zlib"}
				conn, err := thrift.Dial(ctx, "tcp", address, opt)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				callAll(t, ctx, NewEchoClient(thrift.NewClient(conn, thrift.ClientOptions{Protocol: wires[wire]})))
				p, err := thrift.NewPipeline(thrift.PipelineOptions{Address: address, Conn: opt, Client: thrift.ClientOptions{Protocol: wires[wire]}})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				var wg sync.WaitGroup
				for k := range int64(50) {
					wg.Go(func() {
						if got, err := NewEchoClient(p).Add(ctx, k, 1); got != k+1 || err != nil {
							t.Errorf("%d + 1 = %d, %v", k, got, err)
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// callAll calls every function of a server.
func callAll(t *testing.T, ctx context.Context, c *EchoClient) {
	t.Helper()
	if got, err := c.Ping(ctx); err != nil || got != "pong" {
		t.Fatalf("ping: %q, %v", got, err)
	}
	if got, err := c.Add(ctx, 1<<40, -2); err != nil || got != 1<<40-2 {
		t.Fatalf("add: %d, %v", got, err)
	}
	for seed := range uint64(30) {
		want := filler{rand.New(rand.NewPCG(seed, 3)), noUUIDs}.everything()
		got, err := c.Echo(ctx, want)
		if err != nil {
			t.Fatalf("echo, seed %d: %v", seed, err)
		}
		if d := difference(got, want); d != "" {
			t.Fatalf("echo, seed %d: %s", seed, d)
		}
	}
	if err := c.Nothing(ctx); err != nil {
		t.Fatal(err)
	}
	var missing *NotFound
	if err := c.Fail(ctx, "missing"); !errors.As(err, &missing) || missing.Name != "missing" {
		t.Fatalf("fail: %v", err)
	}
	var failure *Failure
	if err := c.Fail(ctx, "failure"); !errors.As(err, &failure) || !failure.Equal(&Failure{Code: 7, Reason: "failure", Place: &Point{X: 1, Y: 2}}) {
		t.Fatalf("fail: %v", err)
	}
	var undeclared *thrift.ApplicationException
	if err := c.Fail(ctx, "undeclared"); !errors.As(err, &undeclared) {
		t.Fatalf("fail: %v", err)
	}
	for _, text := range []string{"first", "second"} {
		if err := c.Note(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.Notes(ctx); err != nil || fmt.Sprint(got) != "[first second]" {
		t.Fatalf("notes: %q, %v", got, err)
	}
}
