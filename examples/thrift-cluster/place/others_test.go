package place

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
	"github.com/seamgo/seam/thrift"
)

// Clients that know nothing of Kitex or etcd can call a server of a cluster, in the binary
// protocol, framed or not, and in the compact one in frames. Package peers has Apache's.
func TestOtherClients(t *testing.T) {
	s, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := Parse("cluster:" + startEtcd(t).Address())
	if err != nil {
		t.Fatal(err)
	}
	server, err := p.Serve(s, ServeOptions{Grace: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		framing  thrift.Framing
		protocol thrift.Protocol
	}{{thrift.Framed, thrift.Binary}, {thrift.Buffered, thrift.Binary}, {thrift.Framed, thrift.Compact}} {
		conn, err := thrift.Dial(t.Context(), "tcp", server.Address(), thrift.ConnOptions{Framing: x.framing})
		if err != nil {
			t.Fatal(err)
		}
		caller := thrift.NewClient(conn, thrift.ClientOptions{Protocol: x.protocol})
		c := orders.NewOrdersClient(caller)
		if list, err := c.Of(t.Context(), "anna"); err != nil || len(list) != 0 {
			t.Errorf("%v: %v, %v", x, list, err)
		}
		var missing *orders.Missing
		if _, err := c.Get(t.Context(), "anna", 99); !errors.As(err, &missing) || missing.Id != 99 {
			t.Errorf("%v: %v", x, err)
		}
		var app *thrift.ApplicationException
		if _, err := c.Place(t.Context(), "", "r", nil); !errors.As(err, &app) || app.Type != thrift.InternalError || !strings.Contains(app.Message, "neither may be empty") {
			t.Errorf("%v: %v", x, err)
		}
		if err := caller.Call(t.Context(), "nothing", new(orders.OrdersCountersArgs), new(orders.OrdersCountersResult)); !errors.As(err, &app) || !strings.Contains(app.Message, "nothing") {
			t.Errorf("%v: %v", x, err)
		}
		if err := caller.Close(); err != nil {
			t.Error(err)
		}
	}
	// What looks like a compact call and is none ends its own connection at most.
	for _, hostile := range []string{
		"\x00\x00\x00\x06\x82\x21\x01\x7f\x7f\x7f", // a name that isn't there
		"\x7f\xff\xff\xff\x82\x21\x01\x02of",       // 2 GB
		"\x00\x00\x00\x02\x82\x21\x01\x02of\x00",   // longer than its frame
		"\x00\x00\x00\x09\x82\x21\x01\x02of\x18\x7f\x00",
		"\x00\x00\x00\x08\x82\x41\x01\x02of\x00\x00", // an answer
	} {
		conn, err := net.Dial("tcp", server.Address())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(hostile)); err != nil {
			t.Error(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Error(err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%x: %v", hostile, err)
		}
		conn.Close()
	}
	conn, err := thrift.Dial(t.Context(), "tcp", server.Address(), thrift.ConnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := orders.NewOrdersClient(thrift.NewClient(conn, thrift.ClientOptions{Protocol: thrift.Compact})).Counters(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
