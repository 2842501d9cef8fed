package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/descriptor"
	"github.com/seamgo/seam/thrift/generic"
)

const callIDL = `include "base.thrift"
struct Order { 1: i64 id, 2: optional string note, 3: Color color }
enum Color { RED = 1, BLUE = 2 }
exception NotFound { 1: string why }
service Orders extends base.Health {
  Order get(1: i64 id) throws (1: NotFound missing)
  void touch(1: Order order)
  oneway void forget(1: i64 id)
  string told()
}
`

// What seam call sends arrives, and what comes back is printed, in each framing and protocol.
func TestCall(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFile(t, "shop.thrift", callIDL)
	writeFile(t, "base.thrift", "service Health { string ping() }\n")
	seam(t, "gen", "descriptors", "-o", "shop.json", "shop.thrift").must(t, exitOK, "", "")
	text, err := os.ReadFile("shop.json")
	if err != nil {
		t.Fatal(err)
	}
	set, err := descriptor.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	forgotten := make(chan string, 10)
	orders := generic.NewProcessor(set.Service("shop.Orders"), func(ctx context.Context, f *descriptor.Function, args []byte) ([]byte, error) {
		switch f.Name {
		case "ping":
			return []byte(`"pong"`), nil
		case "told":
			return []byte(`"` + thrift.ReceivedInfo(ctx).Strings["who"] + `"`), nil
		case "forget":
			forgotten <- string(args)
			return nil, nil
		case "get":
			if strings.Contains(string(args), "404") {
				return nil, &generic.Exception{Name: "missing", Type: "shop.NotFound", JSON: []byte(`{"why": "sold"}`)}
			}
			return []byte(`{"id": 7, "color": "BLUE"}`), nil
		}
		return nil, nil
	}, generic.Options{})
	serve := func(network, address string, p thrift.Processor) string {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		s := &thrift.Server{Processor: p}
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			<-served
		})
		return l.Addr().String()
	}
	tcp := serve("tcp", "127.0.0.1:0", orders)
	unix := serve("unix", filepath.Join(dir, "s"), orders)
	several := serve("tcp", "127.0.0.1:0", thrift.Multiplexed{"orders": orders})

	dumb := closesAll(t)

	const answer = "{\n  \"id\": 7,\n  \"color\": \"BLUE\"\n}\n"
	for _, c := range []struct {
		line      string
		code      int
		out, says string
	}{
		{tcp + " Orders.get {\"id\":7} --idl shop.thrift", exitOK, answer, ""},
		{tcp + " shop.Orders.get {\"id\":7} --idl shop.json --protocol compact", exitOK, answer, ""},
		{unix + " Orders.get {\"id\":7} --idl shop.thrift --framing buffered", exitOK, answer, ""},
		{tcp + " Orders.told --idl shop.json --framing ttheader --info who=me", exitOK, "\"me\"\n", ""},
		{tcp + " Orders.told --idl shop.json --framing theader --info who=me", exitOK, "\"me\"\n", ""},
		{several + " Orders.ping --idl shop.json --name orders", exitOK, "\"pong\"\n", ""},
		{tcp + " Orders.touch {\"order\":{\"id\":1,\"color\":\"RED\"}} --idl shop.json", exitOK, "", ""},
		{tcp + " Orders.forget {\"id\":9} --idl shop.json", exitOK, "", ""},
		{tcp + " Orders.get {\"id\":404} --idl shop.json", exitFinding, "{\n  \"why\": \"sold\"\n}\n", "Orders.get throws shop.NotFound"},
		{tcp + " Orders.get {\"ident\":7} --idl shop.json", exitUsage, "", "the arguments of Orders.get"},
		{tcp + " Orders.gett --idl shop.json", exitUsage, "", "there is no function Orders.gett: of the 6 that there are, like it: Orders.get, "},
		{tcp + " x.y --idl shop.json", exitUsage, "", "there is no function x.y: there are "},
		{"http://" + tcp + " Orders.ping --idl shop.json", exitUsage, "", "name HOST:PORT"},
		{dumb + " Orders.ping --idl shop.json", exitFailed, "", "EOF (the call was made with --framing framed --protocol binary;"},
		{tcp + " Orders.told --idl shop.json --info who=me", exitUsage, "", "--framing ttheader"},
		{tcp + " Orders.ping --idl none.json", exitUsage, "", "none.json"},
		{several + " Orders.ping --idl shop.json --name books", exitFailed, "", "books"},
		{filepath.Join(dir, "nobody") + " Orders.ping --idl shop.json", exitFailed, "", "no such file"},
	} {
		got := seam(t, append([]string{"call"}, strings.Split(c.line, " ")...)...)
		if got.code != c.code || got.out != c.out || !strings.Contains(got.errout, c.says) || c.says == "" && got.errout != "" {
			t.Errorf("seam call %s: code %d, want %d\n%s\nwant\n%s\n%s\nwant %q", c.line, got.code, c.code, got.out, c.out, got.errout, c.says)
		}
	}
	if got := <-forgotten; !strings.Contains(got, "9") {
		t.Errorf("forget got %s", got)
	}
	if got := seamIn(t.Context(), `{"id": 7}`, synthetic, "call", tcp, "Orders.get", "-", "--idl", "shop.thrift"); got.code != exitOK || got.out != answer {
		t.Errorf("by standard input: %d\n%s%s", got.code, got.out, got.errout)
	}
}

// closesAll is the address of a server that reads a little and ends each connection.
func closesAll(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<10)) // all of the call, so that what follows is no reset
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-ended
	})
	return l.Addr().String()
}
