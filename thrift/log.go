package thrift

import (
	"context"
	"log/slog"
	"time"
)

// LogCalls returns an interceptor by which a server logs each call when it has been answered: level
// Info, or Warn if by an exception that the function doesn't declare. The attributes are function,
// protocol, duration and, if there is one, error. nil stands for slog.Default. A call of a level that
// the logger leaves out costs a look at the clock.
func LogCalls(l *slog.Logger) ServerInterceptor {
	return func(ctx context.Context, c *Call, next ProcessFunc) error {
		begun := time.Now()
		err := next(ctx, c)
		logCall(ctx, l, "thrift call answered", begun, err, c.Function, c.Protocol.String())
		return err
	}
}

// LogClientCalls is [LogCalls] for a client: a call is logged when it has returned, with attempts by
// an interceptor behind this one as one call.
func LogClientCalls(l *slog.Logger) ClientInterceptor {
	return func(ctx context.Context, function string, args, result Body, next CallFunc) error {
		begun := time.Now()
		err := next(ctx, function, args, result)
		logCall(ctx, l, "thrift call", begun, err, function, "")
		return err
	}
}

func logCall(ctx context.Context, l *slog.Logger, message string, begun time.Time, err error, function, protocol string) {
	if l == nil {
		l = slog.Default()
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelWarn
	}
	if !l.Enabled(ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 4), slog.String("function", function), slog.Duration("duration", time.Since(begun)))
	if protocol != "" {
		attrs = append(attrs, slog.String("protocol", protocol))
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	l.LogAttrs(ctx, level, message, attrs...)
}
