// Package server is a server's life: it warms up, joins, serves, drains and ends.
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	kitex "github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
	"github.com/seamgo/seam/examples/thrift-cluster/trace"
)

// patience is how long a server has to finish its calls, and to send its last traces.
const patience = 20 * time.Second

// Run runs a server until the context is done, and drains it. It logs JSON lines to log,
// and calls begun with the address when it takes calls.
func Run(ctx context.Context, c Config, log io.Writer, begun func(address string)) (err error) {
	logger := slog.New(trace.Handler{Handler: slog.NewJSONHandler(log, nil)})
	stopTraces, err := trace.Start(ctx, place.Name)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		err = errors.Join(err, stopTraces(ctx))
	}()
	start := time.Now()
	s, err := shop.Open(c.Journal)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	n, err := s.Counters(ctx)
	if err != nil {
		return err
	}
	logger.Info("warm", "orders", n["orders"], "users", n["users"], "ms", time.Since(start).Milliseconds(), "calls", s.Engine().Path)

	watch := newAdmin(s)
	if c.Admin != "" {
		if err := watch.listen(c.Admin); err != nil {
			return err
		}
		defer watch.close()
	}
	server, err := c.Place.Serve(logged{s, logger}, place.ServeOptions{
		Listen: c.Listen, Weight: c.Weight, Grace: c.Grace,
		Observe: place.Observers{Server: []kitex.Option{kitex.WithTracer(watch.tracer), trace.Server()}},
	})
	if err != nil {
		return err
	}
	watch.ready.Store(true)
	logger.Info("serving", "place", c.Place.String(), "address", server.Address(), "admin", watch.address())
	begun(server.Address())
	select {
	case err := <-server.Done():
		return err
	case <-ctx.Done():
	}
	watch.ready.Store(false)
	logger.Info("draining")
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Grace+patience)
	defer cancel()
	err = server.Shutdown(stop)
	logger.Info("ended", "error", err)
	return err
}

// logged is a shop that logs what it could not do, with the trace of the call.
type logged struct {
	*shop.Shop
	log *slog.Logger
}

// Place logs orders that failed: those that are refused are not the server's fault.
func (l logged) Place(ctx context.Context, user, request string, lines []*orders.Line) (*orders.Order, error) {
	o, err := l.Shop.Place(ctx, user, request, lines)
	var refused *orders.Refused
	if err != nil && !errors.As(err, &refused) {
		l.log.ErrorContext(ctx, "order failed", "request", request, "error", err)
	}
	return o, err
}
