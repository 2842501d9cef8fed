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

// Python's clients over its THeaderTransport call our server.
func TestPythonTHeaderClientToOurServer(t *testing.T) {
	python := peers[1]
	for _, framing := range []string{"theader", "zlib"} {
		for _, wire := range []string{"binary", "compact"} {
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
				callAll(t, ctx, NewEchoClient(thrift.NewClient(conn, thrift.ClientOptions{Protocol: wires[wire]})), way{framing, wire, false}, true)
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
