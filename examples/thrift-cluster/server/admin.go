package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/cloudwego/kitex/pkg/stats"
	monitor "github.com/kitex-contrib/monitor-prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seamgo/seam/examples/thrift-cluster/shop"
	_ "github.com/seamgo/seam/prof" // profiles show the frames of C
)

// An admin is what a server tells those who watch over it:
//
//	/healthz      it runs
//	/readyz       it is warm and not draining; whatever etcd does
//	/metrics      for Prometheus
//	/debug/pprof  profiles
type admin struct {
	ready  atomic.Bool
	tracer stats.Tracer // counts Kitex's calls
	mux    *http.ServeMux
	l      net.Listener
	server *http.Server
}

func newAdmin(s *shop.Shop) *admin {
	registry := prometheus.NewRegistry()
	a := &admin{mux: http.NewServeMux()}
	a.tracer = monitor.NewServerTracer("", "", monitor.WithRegistry(registry), monitor.WithDisableServer(true), monitor.WithEnableGoCollector(true))
	counter := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
	}
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	registry.MustRegister(crossings{s.Engine})
	gauge("seam_ready", "1: the server takes calls.", func() float64 { return number(a.ready.Load()) })
	counter("orders_placed_total", "Orders in the journal.", func() float64 { return count(s, "orders") })
	counter("orders_refused_total", "Orders that were refused.", func() float64 { return count(s, "refused") })

	a.mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	a.mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	a.mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !a.ready.Load() {
			http.Error(w, "warming up or draining", http.StatusServiceUnavailable)
		}
	})
	a.mux.HandleFunc("/debug/pprof/", pprof.Index)
	a.mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	a.mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return a
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func count(s *shop.Shop, name string) float64 {
	c, _ := s.Counters(context.Background()) // a shop in the process has no error to give
	return float64(c[name])
}

// listen begins to answer.
func (a *admin) listen(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	a.l = l
	a.server = &http.Server{Handler: a.mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := a.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			a.ready.Store(false) // nobody hears it; the next probe fails anyway
		}
	}()
	return nil
}

func (a *admin) address() string {
	if a.l == nil {
		return ""
	}
	return a.l.Addr().String()
}

func (a *admin) close() { _ = a.server.Close() }
