//go:build unix

package kitexswap

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/bench/thrift/kitexpeer"
	ours "github.com/seamgo/seam/bench/thrift/kitexswap/ours"
	ourshop "github.com/seamgo/seam/bench/thrift/kitexswap/ours/gen/shop"
	ourservice "github.com/seamgo/seam/bench/thrift/kitexswap/ours/gen/shop/orderservice"
	theirs "github.com/seamgo/seam/bench/thrift/kitexswap/theirs"
	theirshop "github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop"
	theirservice "github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop/orderservice"
)

// BenchmarkCreateOrder is Kitex's server and client over loopback with either codec on both
// sides: the same handler, an order of so many items there and back, from 16 callers. Most of
// it is the network.
func BenchmarkCreateOrder(b *testing.B) {
	for _, items := range []int{2, 50} {
		b.Run(fmt.Sprintf("items=%d/codec=seam", items), func(b *testing.B) {
			c := ourservice.MustNewClient("shop", client.WithHostPorts(kitexpeer.Serve(b, func(o ...server.Option) server.Server {
				return ours.Serve(new(ours.Handler), o...)
			})), client.WithRPCTimeout(time.Minute))
			o := &ourshop.Order{Id: 1, UserId: 2, Tags: []string{"a", "b"}}
			for i := range items {
				o.Items = append(o.Items, &ourshop.Item{SkuId: fmt.Sprint("sku ", i), Quantity: 3, ImageUrls: []string{"https://example.com/images/1.png"}})
			}
			calls(b, func(ctx context.Context) error {
				_, err := c.CreateOrder(ctx, &ourshop.CreateOrderRequest{Order: o})
				return err
			})
		})
		b.Run(fmt.Sprintf("items=%d/codec=kitex", items), func(b *testing.B) {
			c := theirservice.MustNewClient("shop", client.WithHostPorts(kitexpeer.Serve(b, func(o ...server.Option) server.Server {
				return theirs.Serve(new(theirs.Handler), o...)
			})), client.WithRPCTimeout(time.Minute))
			o := &theirshop.Order{Id: 1, UserId: 2, Tags: []string{"a", "b"}}
			for i := range items {
				o.Items = append(o.Items, &theirshop.Item{SkuId: fmt.Sprint("sku ", i), Quantity: 3, ImageUrls: []string{"https://example.com/images/1.png"}})
			}
			calls(b, func(ctx context.Context) error {
				_, err := c.CreateOrder(ctx, &theirshop.CreateOrderRequest{Order: o})
				return err
			})
		})
	}
}

// calls makes b.N calls from 16 goroutines.
func calls(b *testing.B, call func(context.Context) error) {
	const callers = 16
	took := make([][]time.Duration, callers)
	if err := call(b.Context()); err != nil { // and connects
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := cpuTime(b)
	var all sync.WaitGroup
	for g := range callers {
		all.Go(func() {
			for i := g; i < b.N; i += callers {
				begin := time.Now()
				if err := call(b.Context()); err != nil {
					b.Error(err)
					return
				}
				took[g] = append(took[g], time.Since(begin))
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op") // of client and server; other programs don't disturb it much
	sorted := slices.Sorted(slices.Values(slices.Concat(took...)))
	if len(sorted) > 0 {
		b.ReportMetric(float64(len(sorted))/b.Elapsed().Seconds(), "calls/s")
		b.ReportMetric(float64(sorted[(len(sorted)-1)*99/100].Microseconds()), "p99-µs")
	}
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
