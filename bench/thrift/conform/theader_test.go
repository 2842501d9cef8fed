//go:build seam_thrift_peers

package conform

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/thrift"
)

// eachHeader runs a test with each library that has THeaderTransport, for both protocols, plain
// and compressed. That for C++ (0.17) can't compress: it writes beyond its buffer, and dies of it
// or says "Error while zlib deflate".
func eachHeader(t *testing.T, f func(t *testing.T, p *peer, framing, wire string)) {
	for _, p := range peers[:2] {
		for _, framing := range []string{"theader", "zlib"} {
			for _, wire := range []string{"binary", "compact"} {
				if p.name == "cpp" && framing == "zlib" {
					continue
				}
				t.Run(p.name+"/"+framing+"/"+wire, func(t *testing.T) { f(t, p, framing, wire) })
			}
		}
	}
}

// Clients of Apache's libraries over their THeaderTransport call our server.
func TestTHeaderClientsToOurServer(t *testing.T) {
	eachHeader(t, func(t *testing.T, p *peer, framing, wire string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		// It finds out by itself what clients speak.
		var from sync.Map
		seen := thrift.InterceptProcessor(NewEchoProcessor(&handler{}), func(ctx context.Context, c *thrift.Call, next thrift.ProcessFunc) error {
			from.Store(thrift.ReceivedInfo(ctx).Strings["from"], true)
			return next(ctx, c)
		})
		s := &thrift.Server{Processor: seen}
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		host, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		address := []string{host, port}
		if p.name == "cpp" {
			address = address[1:]
		}
		out, err := p.command(t, append([]string{"client", wire, framing}, address...)...).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "ok" {
			t.Errorf("the client says: %v\n%s", err, out)
		}
		if _, ok := from.Load("cpp"); p.name == "cpp" && !ok {
			t.Error("the client's pair of strings has not arrived")
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, thrift.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
}

// Our clients, a call at a time and many, call servers of Apache's libraries over their
// THeaderTransport.
func TestOurClientToTHeaderServers(t *testing.T) {
	eachHeader(t, func(t *testing.T, p *peer, framing, wire string) {
		server := p.command(t, "server", wire, framing)
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
			if p.name == "cpp" {
				server.Process.Kill()
			}
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
		callAll(t, ctx, NewEchoClient(thrift.NewClient(conn, thrift.ClientOptions{Protocol: wires[wire]})), way{framing, wire, false}, true)
		pipe, err := thrift.NewPipeline(thrift.PipelineOptions{Address: address, Conn: opt, Client: thrift.ClientOptions{Protocol: wires[wire]}})
		if err != nil {
			t.Fatal(err)
		}
		defer pipe.Close()
		var wg sync.WaitGroup
		for k := range int64(50) {
			wg.Go(func() {
				if got, err := NewEchoClient(pipe).Add(ctx, k, 1); got != k+1 || err != nil {
					t.Errorf("%d + 1 = %d, %v", k, got, err)
				}
			})
		}
		wg.Wait()
	})
}
