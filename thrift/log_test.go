package thrift

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
)

// Each call is a line, with its error if it has one, on both sides.
func TestLogCalls(t *testing.T) {
	var served, called logLines
	f := functions{
		"echo": func(_ context.Context, s string) (string, error) { return s, nil },
		"fail": func(context.Context, string) (string, error) { return "", errors.New("no luck") },
	}
	address := serve(t, &Server{Processor: InterceptProcessor(f, LogCalls(served.logger()))})
	c := Intercept(dial(t, address, Framed, Compact), LogClientCalls(called.logger()))
	for _, function := range []string{"echo", "fail", "none"} {
		_, _ = call(t.Context(), c, function, "x")
	}
	for side, lines := range map[string]*logLines{"server": &served, "client": &called} {
		text := lines.String()
		want := []string{"level=INFO", "function=echo", "duration=", "level=WARN", "function=fail", "no luck", "function=none"}
		if side == "server" {
			want = append(want, "protocol=compact")
		}
		if missing := slices.DeleteFunc(want, func(w string) bool { return strings.Contains(text, w) }); len(missing) > 0 || strings.Count(text, "\n") != 3 {
			t.Errorf("the %s's log lacks %q:\n%s", side, missing, text)
		}
	}
}

// A call of a level that isn't logged allocates nothing for it.
func TestLogCallsLeftOut(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	with := LogClientCalls(quiet)
	next := func(context.Context, string, Body, Body) error { return nil }
	if n := testing.AllocsPerRun(100, func() { _ = with(t.Context(), "echo", nil, nil, next) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
