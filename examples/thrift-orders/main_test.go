//seam:test race

package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/examples/thrift-orders/orders"
	"github.com/seamgo/seam/thrift"
)

const want = `order 1 of anna: OPEN, 2 lines
refused: no such quantity or price: [pencil]
order 1 is PAID
refused: it is paid already
missing: 999
counters: map[orders:1 refused:2]
`

func TestServerAndClient(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestServerAlone(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, l) }()
	var out strings.Builder
	if err := run(t.Context(), []string{"-call", l.Addr().String()}, &out); err != nil || out.String() != want {
		t.Errorf("client: %v\n%s", err, out.String())
	}
	stop()
	if err := <-served; err != nil {
		t.Errorf("server: %v", err)
	}
}

func TestMistakesOnTheCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-serve", "no such place"}, {"-call", "localhost:0"}, {"-x"}} {
		if err := run(t.Context(), args, new(strings.Builder)); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

// A handler can be tested through the wire format without a connection.
func TestShop(t *testing.T) {
	server := &thrift.Server{Processor: orders.NewOrdersProcessor(newShop(func() time.Time { return time.Unix(1e9, 0) }))}
	shop := orders.NewOrdersClient(thrift.NewClient(thrift.Local(server), thrift.ClientOptions{}))
	ctx := t.Context()

	if _, err := shop.Place(ctx, "anna", nil, ""); !errors.As(err, new(*orders.Refused)) {
		t.Errorf("an empty order: %v", err)
	}
	line := &orders.Line{Article: "pen", Quantity: 2, Price: 100}
	placed, err := shop.Place(ctx, "anna", []*orders.Line{line}, "quick")
	if err != nil || placed.Created != 1e9 || placed.GetNote() != "quick" || !placed.Lines[0].Equal(line) {
		t.Fatalf("placed %v, %v", placed, err)
	}
	if got, err := shop.Get(ctx, placed.ID); err != nil || !got.Equal(placed) {
		t.Errorf("got %v, %v; want %v", got, err, placed)
	}
	if list, err := shop.Of(ctx, "nobody"); err != nil || list == nil || len(list) != 0 {
		t.Errorf("nobody's orders: %v, %v; want an empty list", list, err)
	}
	if err := shop.Paid(ctx, placed.ID, 1); err != nil { // too little
		t.Error(err)
	}
	if err := shop.Cancel(ctx, placed.ID); err != nil {
		t.Error(err)
	}
	if got, err := shop.Get(ctx, placed.ID); err != nil || got.Status != orders.Status_CANCELLED {
		t.Errorf("got %v, %v; want it cancelled", got, err)
	}
	if err := shop.Cancel(ctx, 7); !errors.As(err, new(*orders.Missing)) {
		t.Errorf("cancelling what isn't there: %v", err)
	}
	var e *thrift.ApplicationException
	if _, err := shop.Place(ctx, "anna", []*orders.Line{nil}, ""); err == nil || errors.As(err, &e) {
		t.Errorf("a line that is nil: %v; want an error of the client's", err)
	}
}
