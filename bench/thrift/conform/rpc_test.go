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
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/thrifthttp"
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

// The transports and the protocols, as peers name them.
var framings = map[string]thrift.Framing{"framed": thrift.Framed, "buffered": thrift.Buffered}

var wires = map[string]thrift.Protocol{"binary": thrift.Binary, "old": thrift.OldBinary, "compact": thrift.Compact, "json": thrift.JSON}

// service is the name of the service where there are several.
const service = "echo"

// A way is how a client and a server talk.
type way struct {
	transport, wire string
	several         bool // services, told apart by the multiplexed protocol
}

// eachWay runs a test for every transport with every protocol, and for each protocol once with
// several services.
func eachWay(t *testing.T, f func(t *testing.T, w way)) {
	for wire := range wires {
		for _, transport := range []string{"framed", "buffered", "http"} {
			t.Run(transport+"/"+wire, func(t *testing.T) { f(t, way{transport, wire, false}) })
		}
		t.Run("several/"+wire, func(t *testing.T) { f(t, way{"framed", wire, true}) })
	}
	t.Run("several/http", func(t *testing.T) { f(t, way{"http", "json", true}) })
}

// args are what a peer is told.
func (w way) args(role string, address ...string) []string {
	args := append([]string{role, w.wire, w.transport}, address...)
	if w.several {
		args = append(args, service)
	}
	return args
}

// Clients of Apache's libraries call our server, which finds out by itself what they speak.
func TestPeersCallOurServer(t *testing.T) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			p.command(t) // which builds it
			eachWay(t, func(t *testing.T, w way) { p.callUs(t, w) })
		})
	}
}

func (p *peer) callUs(t *testing.T, w way) {
	processor := NewEchoProcessor(&handler{})
	if w.several {
		processor = thrift.Multiplexed{"": nil, "other": processor, service: processor}
	}
	s := &thrift.Server{Processor: processor}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	stop, ended := s.Shutdown, thrift.ErrServerClosed
	if w.transport == "http" {
		h := &http.Server{Handler: thrifthttp.Handler(s)}
		stop, ended = h.Shutdown, http.ErrServerClosed
		go func() { served <- h.Serve(l) }()
	} else {
		go func() { served <- s.Serve(l) }()
	}
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	address := []string{port}
	if p.name != "cpp" {
		address = []string{host, port}
	}
	client := p.command(t, w.args("client", address...)...)
	var stderr bytes.Buffer
	client.Stderr = &stderr // Java's library has its warnings there
	out, err := client.Output()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("the client says: %v\n%s%s", err, out, stderr.Bytes())
	}
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, ended) {
		t.Errorf("Serve: %v", err)
	}
}

// Our client calls servers of Apache's libraries.
func TestWeCallPeersServers(t *testing.T) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			p.command(t) // which builds it
			eachWay(t, func(t *testing.T, w way) {
				if p.serves(w) {
					p.answerUs(t, w)
				}
			})
		})
	}
}

// serves reports whether the peer's library has such a server. Java's for HTTP are servlets,
// which need a container; a client of it calls ours.
func (p *peer) serves(w way) bool { return p.name != "java" || w.transport != "http" }

func (p *peer) answerUs(t *testing.T, w way) {
	server := p.command(t, w.args("server")...)
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
	address := "127.0.0.1:" + strings.TrimSpace(port)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var caller thrift.Caller = thrifthttp.NewClient("http://"+address+"/", thrifthttp.Options{Protocol: wires[w.wire]})
	if w.transport != "http" {
		conn, err := thrift.Dial(ctx, "tcp", address, thrift.ConnOptions{Framing: framings[w.transport]})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		caller = thrift.NewClient(conn, thrift.ClientOptions{Protocol: wires[w.wire]})
	}
	if w.several {
		caller = thrift.Multiplex(caller, service)
	}
	// C++'s server for HTTP sends no response to a oneway call.
	callAll(t, ctx, NewEchoClient(caller), w, p.name != "cpp" || w.transport != "http")
}

// callAll calls every function of a server, those that are oneway if it answers them.
func callAll(t *testing.T, ctx context.Context, c *EchoClient, w way, oneway bool) {
	t.Helper()
	if got, err := c.Ping(ctx); err != nil || got != "pong" {
		t.Fatalf("ping: %q, %v", got, err)
	}
	if got, err := c.Add(ctx, 1<<40, -2); err != nil || got != 1<<40-2 {
		t.Fatalf("add: %d, %v", got, err)
	}
	for seed := range uint64(30) {
		want := filler{rand.New(rand.NewPCG(seed, 3)), noUUIDs, w.wire == "json"}.everything()
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
	if !oneway {
		return
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
