package place

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudwego/kitex/pkg/klog"

	"github.com/seamgo/seam/examples/internal/servers"
	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
)

func TestMain(m *testing.M) {
	klog.SetOutput(io.Discard) // it tells every connection and error
	os.Exit(m.Run())
}

// startEtcd starts an etcd for the test.
func startEtcd(t *testing.T) *servers.Server {
	t.Helper()
	testenv.Tool(t, "etcd")
	etcd, err := servers.Etcd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Stop)
	return etcd
}

// A trickster is the shop with a handler that fails, panics or takes its time for the
// users of these names.
type trickster struct {
	*shop.Shop
	slow chan struct{} // closed: nobody waits any more
}

func (h *trickster) Get(ctx context.Context, user string, id int64) (*orders.Order, error) {
	switch user {
	case "failing":
		return nil, errors.New("the shelf has fallen down")
	case "slow":
		select {
		case <-h.slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return h.Shop.Get(ctx, user, id)
}

// The cases are the same wherever the service runs, and so is what comes of them.
var cases = []struct {
	name string
	do   func(ctx context.Context, o orders.Orders) (any, error)
	want any
	err  func(error) bool // nil: there is none
}{
	{"place", func(ctx context.Context, o orders.Orders) (any, error) {
		order, err := o.Place(ctx, "anna", "r1", []*orders.Line{{Article: "pencil", Quantity: 12, Price: 90}})
		return order, err
	}, &orders.Order{Id: 1, User: "anna", Request: "r1", Lines: []*orders.Line{{Article: "pencil", Quantity: 12, Price: 90}}}, nil},
	{"get", func(ctx context.Context, o orders.Orders) (any, error) {
		order, err := o.Get(ctx, "anna", 1)
		return order.GetRequest(), err
	}, "r1", nil},
	{"of", func(ctx context.Context, o orders.Orders) (any, error) {
		list, err := o.Of(ctx, "anna")
		return len(list), err
	}, 1, nil},
	{"of nobody", func(ctx context.Context, o orders.Orders) (any, error) {
		list, err := o.Of(ctx, "nobody")
		return len(list), err
	}, 0, nil},
	{"counters", func(ctx context.Context, o orders.Orders) (any, error) {
		c, err := o.Counters(ctx)
		return c, err
	}, map[string]int64{"orders": 1, "refused": 0, "users": 1, "scored": 1}, nil},
	{"refused", func(ctx context.Context, o orders.Orders) (any, error) {
		return o.Place(ctx, "anna", "r2", []*orders.Line{{Article: "ink", Quantity: -1}})
	}, nil, func(err error) bool {
		var refused *orders.Refused
		return errors.As(err, &refused) && refused.Equal(&orders.Refused{Reason: "no such quantity or price", Articles: []string{"ink"}})
	}},
	{"missing", func(ctx context.Context, o orders.Orders) (any, error) { return o.Get(ctx, "anna", 99) },
		nil, func(err error) bool {
			var missing *orders.Missing
			return errors.As(err, &missing) && missing.Id == 99
		}},
	{"an error that is not declared", func(ctx context.Context, o orders.Orders) (any, error) { return o.Get(ctx, "failing", 1) },
		nil, func(err error) bool {
			var app *thrift.ApplicationException
			return errors.As(err, &app) && app.Type == thrift.InternalError && app.Message == "the shelf has fallen down"
		}},
	{"what can't be written", func(ctx context.Context, o orders.Orders) (any, error) {
		return o.Place(ctx, "anna", "r3", []*orders.Line{nil})
	}, nil, func(err error) bool {
		var encode *thrift.EncodeError
		return errors.As(err, &encode) && errors.Is(err, thrift.ErrNil)
	}},
	{"no time left", func(ctx context.Context, o orders.Orders) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		return o.Get(ctx, "slow", 1)
	}, nil, func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
	{"cancelled", func(ctx context.Context, o orders.Orders) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(20*time.Millisecond, cancel)
		return o.Get(ctx, "slow", 1)
	}, nil, func(err error) bool {
		return errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}},
	{"and on it goes", func(ctx context.Context, o orders.Orders) (any, error) {
		order, err := o.Get(ctx, "anna", 1)
		return order.GetUser(), err
	}, "anna", nil},
}

func TestTheSameEverywhere(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{"here", "unix:" + filepath.Join(dir, "s"), "tcp:127.0.0.1:0", "cluster"} {
		network, _, _ := strings.Cut(line, ":")
		t.Run(network, func(t *testing.T) {
			if line == "cluster" {
				line += ":" + startEtcd(t).Address()
			}
			c := runAt(t, line)
			for _, x := range cases {
				got, err := x.do(t.Context(), c)
				switch {
				case x.err == nil && (err != nil || !reflect.DeepEqual(got, x.want) && !equal(got, x.want)):
					t.Errorf("%s: %v, %v, want %v", x.name, got, err, x.want)
				case x.err != nil && (err == nil || !x.err(err)):
					t.Errorf("%s: the error is %#v: %v", x.name, err, err)
				}
			}
		})
	}
}

func equal(a, b any) bool {
	x, ok := a.(*orders.Order)
	y, also := b.(*orders.Order)
	return ok && also && x.Equal(y)
}

// runAt runs a shop at a place, and returns a client.
func runAt(t *testing.T, line string) *Client {
	t.Helper()
	p, err := Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	s, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	h := &trickster{s, make(chan struct{})}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if line != "here" {
		server, err := p.Serve(h, ServeOptions{Grace: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		})
		if p.network == "tcp" {
			p.address = server.Address()
		}
	}
	c, err := p.Dial(DialOptions{Handler: h, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		close(h.slow)
	})
	return c
}

// Many callers at once, at each place.
func TestManyCallers(t *testing.T) {
	etcd := startEtcd(t)
	for _, line := range []string{"here", "unix:" + filepath.Join(t.TempDir(), "s"), "tcp:127.0.0.1:0", "cluster:" + etcd.Address()} {
		c := runAt(t, line)
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for range 20 {
					if _, err := c.Place(t.Context(), "anna", "r", []*orders.Line{{Article: "pencil", Quantity: 1, Price: 90}}); err != nil {
						t.Errorf("%s: %v", line, err)
						return
					}
				}
			})
		}
		all.Wait()
		if list, err := c.Of(t.Context(), "anna"); err != nil || len(list) != 320 {
			t.Errorf("%s: %d orders, %v", line, len(list), err)
		} else if s := list[319].Score; s != 0 || math.IsNaN(s) {
			t.Errorf("%s: the same order again scores %v", line, s)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	etcd := startEtcd(t)
	for _, line := range []string{"unix:" + filepath.Join(t.TempDir(), "s"), "tcp:127.0.0.1:1", "cluster:" + etcd.Address()} {
		p, err := Parse(line)
		if err != nil || p.String() != line {
			t.Fatal(p, err)
		}
		c, err := p.Dial(DialOptions{Timeout: time.Minute}) // for etcd to say so
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Of(t.Context(), "anna")
		var gone *Unreachable
		if !errors.As(err, &gone) || gone.Sent {
			t.Errorf("%s: %v", line, err)
		}
		c.Close()
	}
}

// The time limit is one for all attempts of a call.
func TestOneLimit(t *testing.T) {
	p, err := Parse("cluster:" + startEtcd(t).Address())
	if err != nil {
		t.Fatal(err)
	}
	h := &counting{end: make(chan struct{})}
	server, err := p.Serve(h, ServeOptions{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Dial(DialOptions{Timeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), "anna", 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	close(h.end)
	c.Close()
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	// On a slow machine a second one may begin just when the time is over. Without the limit there
	// are all three that the policy has.
	if n := h.calls.Load(); n > 2 {
		t.Errorf("%d attempts, each with all of the time", n)
	}
}

// A counting handler answers when the test ends.
type counting struct {
	orders.Orders
	calls atomic.Int32
	end   chan struct{}
}

func (h *counting) Get(context.Context, string, int64) (*orders.Order, error) {
	h.calls.Add(1)
	<-h.end
	return nil, errors.New("too late")
}

func TestNoSuchPlace(t *testing.T) {
	for _, line := range []string{"", "there", "here:1", "unix:", "tcp", "cluster:", "http://x"} {
		if p, err := Parse(line); err == nil {
			t.Errorf("%q is %v", line, p)
		}
	}
	p, _ := Parse("here")
	if _, err := p.Serve(nil, ServeOptions{}); err == nil {
		t.Error("a server here")
	}
	if _, err := p.Dial(DialOptions{}); err == nil {
		t.Error("a client without a handler")
	}
}
