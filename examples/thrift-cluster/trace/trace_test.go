package trace

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/klog"
	"github.com/cloudwego/kitex/server"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/seamgo/seam/examples/internal/servers"
	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
	"github.com/seamgo/seam/internal/testenv"
)

// A logging handler logs with the context of the call.
type logging struct {
	*shop.Shop
	log *slog.Logger
}

func (h logging) Get(ctx context.Context, user string, id int64) (*orders.Order, error) {
	h.log.InfoContext(ctx, "get", "user", user)
	return h.Shop.Get(ctx, user, id)
}

// A call has one trace: the client's span, the server's below it, and the server's log.
func TestOneTrace(t *testing.T) {
	testenv.Tool(t, "etcd")
	klog.SetOutput(io.Discard)
	etcd, err := servers.Etcd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Stop()
	spans := tracetest.NewInMemoryExporter()
	provider("orders", sdk.WithSyncer(spans))

	s, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var log bytes.Buffer
	p, err := place.Parse("cluster:" + etcd.Address())
	if err != nil {
		t.Fatal(err)
	}
	running, err := p.Serve(logging{s, slog.New(Handler{slog.NewTextHandler(&log, nil)})},
		place.ServeOptions{Grace: time.Millisecond, Observe: place.Observers{Server: []server.Option{Server()}}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Dial(place.DialOptions{Timeout: time.Minute, Observe: place.Observers{Client: []client.Option{Client()}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), "anna", 1); err == nil {
		t.Error("there is an order")
	}
	c.Close()
	if err := running.Shutdown(t.Context()); err != nil { // the server's span has ended then
		t.Fatal(err)
	}
	var of [2]tracetest.SpanStub // client, server
	for _, x := range spans.GetSpans() {
		switch x.SpanKind {
		case oteltrace.SpanKindClient:
			of[0] = x
		case oteltrace.SpanKindServer:
			of[1] = x
		}
	}
	id := of[0].SpanContext.TraceID()
	if !id.IsValid() || of[1].SpanContext.TraceID() != id || of[1].Parent.SpanID() != of[0].SpanContext.SpanID() {
		t.Errorf("client %v, server %v below %v", of[0].SpanContext, of[1].SpanContext, of[1].Parent)
	}
	if want := "trace_id=" + id.String(); !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %s: %s", want, &log)
	}
}

func TestNoEndpoint(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	stop, err := Start(t.Context(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
}
