// Package trace follows calls from client to server with OpenTelemetry. The trace travels in
// Kitex's header (TTHeader), which seam's client puts in front of calls on a cluster; other
// clients need not.
package trace

import (
	"context"
	"log/slog"
	"os"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/server"
	"github.com/kitex-contrib/obs-opentelemetry/tracing"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.26.0"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Start sends traces to where OTEL_EXPORTER_OTLP_ENDPOINT says, and does nothing without
// it. stop sends what is left.
func Start(ctx context.Context, service string) (stop func(context.Context) error, err error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" {
		return func(context.Context) error { return nil }, nil
	}
	exporter, err := otlptracegrpc.New(ctx)
	if err != nil {
		return nil, err
	}
	p := provider(service, sdk.WithBatcher(exporter))
	return p.Shutdown, nil
}

// provider makes traces of all calls in this process.
func provider(service string, options ...sdk.TracerProviderOption) *sdk.TracerProvider {
	attributes := resource.NewWithAttributes(semconv.SchemaURL, semconv.ServiceName(service))
	p := sdk.NewTracerProvider(append(options, sdk.WithResource(attributes))...)
	otel.SetTracerProvider(p)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	return p
}

// Client is the option of a Kitex client whose calls are traced.
func Client() client.Option { return client.WithSuite(tracing.NewClientSuite()) }

// Server is the option of a Kitex server whose calls are traced.
func Server() server.Option { return server.WithSuite(tracing.NewServerSuite()) }

// Handler adds the trace and the span to what is logged with the context of a call.
type Handler struct{ slog.Handler }

// Handle is slog's.
func (h Handler) Handle(ctx context.Context, r slog.Record) error {
	if c := oteltrace.SpanContextFromContext(ctx); c.IsValid() {
		r.AddAttrs(slog.String("trace_id", c.TraceID().String()), slog.String("span_id", c.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}
