//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/klog"
	"github.com/cloudwego/kitex/server"

	ours "github.com/seamgo/seam/bench/thrift/kitexswap/ours"
	ourshop "github.com/seamgo/seam/bench/thrift/kitexswap/ours/gen/shop"
	ourservice "github.com/seamgo/seam/bench/thrift/kitexswap/ours/gen/shop/orderservice"
	theirs "github.com/seamgo/seam/bench/thrift/kitexswap/theirs"
	theirshop "github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop"
	theirservice "github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop/orderservice"
)

const (
	seam      = "seam"
	fastCodec = "fastcodec"
)

// A job is a turn of a process.
type job struct {
	Items, Callers int
	For            time.Duration
}

// A result is what came of turns.
type result struct {
	Took    []int64 // ns of each call
	Elapsed time.Duration
	CPU     time.Duration // of server and client
	Failed  string        // why, or ""
}

func (r *result) add(x result) {
	r.Took = append(r.Took, x.Took...)
	r.Elapsed += x.Elapsed
	r.CPU += x.CPU
}

func (r *result) rate() float64 { return float64(len(r.Took)) / r.Elapsed.Seconds() }
func (r *result) p99() float64  { return float64(r.Took[(len(r.Took)-1)*99/100]) / 1e3 } // Took is sorted
func (r *result) cpu() float64  { return float64(r.CPU.Microseconds()) / float64(len(r.Took)) }

// A process serves and calls by one codec.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	to  *gob.Encoder
	of  *gob.Decoder
}

func start(ctx context.Context, codec string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, peerRole, codec)}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.to, p.of = gob.NewEncoder(p.in), gob.NewDecoder(bufio.NewReader(out))
	return p, p.cmd.Start()
}

func (p *process) do(j job) (r result, err error) {
	if err := p.to.Encode(j); err != nil {
		return r, err
	}
	if err := p.of.Decode(&r); err != nil {
		return r, err
	}
	switch {
	case r.Failed != "":
		return r, errors.New(r.Failed)
	case len(r.Took) == 0:
		return r, fmt.Errorf("no call was answered in %v", j.For)
	}
	return r, nil
}

// end ends it: it does so when nobody wants anything more.
func (p *process) end() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}

// peer is a process that serves and calls.
func peer(codec string, in io.Reader, out io.Writer) error {
	klog.SetOutput(io.Discard)
	order, err := caller(codec)
	if err != nil {
		return err
	}
	of, to := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var j job
		if err := of.Decode(&j); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := to.Encode(calls(order(j.Items), j)); err != nil {
			return err
		}
	}
}

// caller starts a server with a client, and returns what makes the function that orders so
// many items.
func caller(codec string) (func(items int) func(context.Context) error, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	options := []server.Option{server.WithListener(l), server.WithExitSignal(func() <-chan error { return nil })}
	where := []client.Option{client.WithHostPorts(l.Addr().String()), client.WithRPCTimeout(time.Minute)}
	sku := func(i int) string { return fmt.Sprint("sku ", i) }
	images := []string{"https://example.com/images/1.png"}
	switch codec {
	case seam:
		go serve(ours.Serve(new(ours.Handler), options...))
		c, err := ourservice.NewClient("shop", where...)
		return func(items int) func(context.Context) error {
			o := &ourshop.Order{Id: 1, UserId: 2, Tags: []string{"a", "b"}}
			for i := range items {
				o.Items = append(o.Items, &ourshop.Item{SkuId: sku(i), Quantity: 3, ImageUrls: images})
			}
			return func(ctx context.Context) error {
				_, err := c.CreateOrder(ctx, &ourshop.CreateOrderRequest{Order: o})
				return err
			}
		}, err
	case fastCodec:
		go serve(theirs.Serve(new(theirs.Handler), options...))
		c, err := theirservice.NewClient("shop", where...)
		return func(items int) func(context.Context) error {
			o := &theirshop.Order{Id: 1, UserId: 2, Tags: []string{"a", "b"}}
			for i := range items {
				o.Items = append(o.Items, &theirshop.Item{SkuId: sku(i), Quantity: 3, ImageUrls: images})
			}
			return func(ctx context.Context) error {
				_, err := c.CreateOrder(ctx, &theirshop.CreateOrderRequest{Order: o})
				return err
			}
		}, err
	}
	return nil, fmt.Errorf("want the codec %s or %s", seam, fastCodec)
}

func serve(s server.Server) {
	if err := s.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "kitexbench: the server:", err)
		os.Exit(3)
	}
}

// calls makes calls from so many goroutines for so long.
func calls(call func(context.Context) error, j job) (r result) {
	took := make([][]int64, j.Callers)
	failed := make([]error, j.Callers)
	var all sync.WaitGroup
	before, begin := cpuTime(), time.Now()
	for g := range j.Callers {
		all.Go(func() {
			for last := begin; last.Sub(begin) < j.For; {
				if failed[g] = call(context.Background()); failed[g] != nil {
					return
				}
				now := time.Now()
				took[g] = append(took[g], int64(now.Sub(last)))
				last = now
			}
		})
	}
	all.Wait()
	r.Elapsed, r.CPU = time.Since(begin), cpuTime()-before
	for g := range took {
		r.Took = append(r.Took, took[g]...)
	}
	if err := errors.Join(failed...); err != nil {
		r.Failed = err.Error()
	}
	return r
}

// cpuTime is the processor's time of this process, which can always be asked for.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
