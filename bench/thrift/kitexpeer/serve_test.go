package kitexpeer_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/bench/thrift/kitexpeer"
	"github.com/seamgo/seam/bench/thrift/peers/kitex"
	"github.com/seamgo/seam/bench/thrift/peers/kitex/serialize"
)

type echo struct{}

func (*echo) Method(_ context.Context, req *kitex.Example) (*kitex.Example, error) { return req, nil }

// A test that ends at once ends, even where goroutines wait for each other's processor.
func TestServeAndEnd(t *testing.T) {
	for _, procs := range []int{1, 2} {
		old := runtime.GOMAXPROCS(procs)
		for range 20 {
			t.Run("", func(t *testing.T) {
				kitexpeer.Serve(t, kitexpeer.Register(t, func(s server.Server) error { return serialize.RegisterService(s, &echo{}) }))
			})
		}
		runtime.GOMAXPROCS(old)
	}
}
