// Command thrift-orders is an order service over Thrift. Its definition is
// orders.thrift; seam gen writes the Go code in folder orders; what remains to be
// written by hand is in shop.go (the handler) and here (server and client).
//
//	go run ./examples/thrift-orders                        # a server and a client that talk to each other
//	go run ./examples/thrift-orders -serve localhost:9090  # a server, for clients in any language
//	go run ./examples/thrift-orders -call localhost:9090   # a client
//
// After a change to orders.thrift:
//
//	go generate ./examples/thrift-orders
package main

//go:generate go run ../../cmd/seam gen orders.thrift

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/seamgo/seam/examples/thrift-orders/orders"
	"github.com/seamgo/seam/thrift"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "thrift-orders:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("thrift-orders", flag.ContinueOnError)
	flags.SetOutput(stdout)
	serveAt := flags.String("serve", "", "serve at this `address`")
	call := flags.String("call", "", "call the server at this `address`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *serveAt != "":
		l, err := net.Listen("tcp", *serveAt)
		if err != nil {
			return err
		}
		return serve(ctx, l)
	case *call != "":
		return buy(ctx, *call, stdout)
	}
	return both(ctx, stdout)
}

// both runs a server and a client.
func both(ctx context.Context, stdout io.Writer) error {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- serve(ctx, l) }()
	err = buy(ctx, l.Addr().String(), stdout)
	cancel()
	return errors.Join(err, <-served)
}

// serve serves until the context is done, and then finishes the calls that are
// under way.
func serve(ctx context.Context, l net.Listener) error {
	server := &thrift.Server{
		Processor:   orders.NewOrdersProcessor(newShop(time.Now)),
		Decode:      thrift.Options{Limits: thrift.Limits{Message: 1 << 20}, UTF8: true},
		MaxConns:    1000,
		IdleTimeout: 10 * time.Minute,
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err := server.Shutdown(ctx)
		stopped <- errors.Join(err, server.Close())
	})
	err := server.Serve(l)
	if stop() {
		return err // not by Shutdown
	}
	return <-stopped
}

// buy shows what a client does.
func buy(ctx context.Context, address string, stdout io.Writer) error {
	conn, err := thrift.Dial(ctx, "tcp", address, thrift.ConnOptions{WriteTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	caller := thrift.NewClient(conn, thrift.ClientOptions{Protocol: thrift.Compact})
	defer func() { _ = caller.Close() }()
	shop := orders.NewOrdersClient(caller)

	ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // for all of it
	defer cancel()
	order, err := shop.Place(ctx, "anna", []*orders.Line{
		{Article: "pencil", Quantity: 12, Price: 90},
		{Article: "paper", Quantity: 1, Price: 450},
	}, "no wrapping please")
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "order %d of %s: %v, %d lines\n", order.ID, order.Customer, order.Status, len(order.Lines))

	// An exception that the function declares is an error of its type.
	_, err = shop.Place(ctx, "anna", []*orders.Line{{Article: "pencil", Quantity: -1}}, "")
	var refused *orders.Refused
	if !errors.As(err, &refused) {
		return fmt.Errorf("an order of -1 pencils: %w, want it refused", err)
	}
	fmt.Fprintf(stdout, "refused: %s: %v\n", refused.Reason, refused.Articles)

	// Oneway: this returns when the message was sent.
	if err := shop.Paid(ctx, order.ID, 12*90+450); err != nil {
		return err
	}
	// Calls on one connection are answered in their order.
	list, err := shop.Of(ctx, "anna")
	if err != nil {
		return err
	}
	for _, o := range list {
		fmt.Fprintf(stdout, "order %d is %v\n", o.ID, o.Status)
	}
	if err := shop.Cancel(ctx, order.ID); !errors.As(err, &refused) {
		return fmt.Errorf("cancelling what is paid: %w, want it refused", err)
	}
	fmt.Fprintf(stdout, "refused: %s\n", refused.Reason)
	var missing *orders.Missing
	if _, err := shop.Get(ctx, 999); !errors.As(err, &missing) {
		return fmt.Errorf("an order that isn't there: %w", err)
	}
	fmt.Fprintf(stdout, "missing: %d\n", missing.ID)

	// Counters is a function of the service that Orders extends.
	counters, err := shop.Counters(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "counters: %v\n", counters)
	return nil
}
