//seam:test native

package health_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/health"
)

// The question is answered beside a service that doesn't know it, as the program says, and
// otherwise by a server that drains.
func TestAnswer(t *testing.T) {
	other := thrift.ProcessFunc(func(_ context.Context, c *thrift.Call) error {
		c.UnknownFunction()
		return c.Err()
	})
	says, fails := health.Status_WARNING, error(nil)
	for _, test := range []struct {
		name   string
		status func(context.Context) (health.Status, error)
		want   health.Status
	}{
		{"nothing said", nil, health.Status_ALIVE},
		{"said", func(context.Context) (health.Status, error) { return says, fails }, health.Status_WARNING},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &thrift.Server{Quiet: time.Minute}
			s.Processor = thrift.InterceptProcessor(other, health.Answer(s, test.status))
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.Serve(l) }()
			conn, err := thrift.Dial(t.Context(), "tcp", l.Addr().String(), thrift.ConnOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			c := health.NewHealthClient(thrift.NewClient(conn, thrift.ClientOptions{}))
			if got, err := c.GetStatus(t.Context()); got != test.want || err != nil {
				t.Errorf("%v, %v; want %v", got, err, test.want)
			}
			if test.status != nil {
				fails = errors.New("no idea")
				if got, err := c.GetStatus(t.Context()); err == nil {
					t.Errorf("%v, and no error", got)
				}
				fails = nil
			}
			// While it drains, calls on the connection are answered.
			stopped := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { stopped <- s.Shutdown(ctx) }()
			for !s.Stats().Stopping {
				time.Sleep(time.Millisecond)
			}
			if got, err := c.GetStatus(t.Context()); got != health.Status_STOPPING || err != nil {
				t.Errorf("draining: %v, %v", got, err)
			}
			cancel()
			<-stopped
			s.Close()
			<-served
		})
	}
}
