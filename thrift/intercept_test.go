package thrift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

type traceKey struct{}

func TestInterceptorsOfAClient(t *testing.T) {
	address := serve(t, &Server{Processor: functions{"echo": echo["echo"], "fail": func(context.Context, string) (string, error) {
		return "", errors.New("no luck")
	}}})
	var saw []string
	mark := func(name string) ClientInterceptor {
		return func(ctx context.Context, function string, args, result Body, next CallFunc) error {
			outer, _ := ctx.Value(traceKey{}).(string)
			saw = append(saw, fmt.Sprintf("%s>%s %s %q", outer, name, function, args.(*note).Text))
			err := next(context.WithValue(ctx, traceKey{}, outer+">"+name), function, args, result)
			saw = append(saw, fmt.Sprintf("%s %q %v", name, result.(*note).Text, err != nil))
			return err
		}
	}
	refuse := errors.New("refused")
	c := Intercept(dial(t, address, Framed, Binary), mark("a"), mark("b"), func(ctx context.Context, function string, args, result Body, next CallFunc) error {
		switch function {
		case "refused":
			return refuse
		case "twice":
			function = "echo"
			if err := next(ctx, "fail", args, result); err == nil {
				t.Error("no error")
			}
		}
		return next(ctx, function, args, result)
	})
	for _, want := range []struct {
		function, answer, err string
		saw                   []string
	}{
		{"echo", "x", "", []string{`>a echo "x"`, `>a>b echo "x"`, `b "x" false`, `a "x" false`}},
		{"twice", "x", "", []string{`>a twice "x"`, `>a>b twice "x"`, `b "x" false`, `a "x" false`}},
		{"refused", "", "refused", []string{`>a refused "x"`, `>a>b refused "x"`, `b "" true`, `a "" true`}},
		{"fail", "", "no luck", []string{`>a fail "x"`, `>a>b fail "x"`, `b "" true`, `a "" true`}},
	} {
		saw = nil
		got, err := call(t.Context(), c, want.function, "x")
		if got != want.answer || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%s: %q, %v", want.function, got, err)
		}
		if !slices.Equal(saw, want.saw) {
			t.Errorf("%s: saw %q, want %q", want.function, saw, want.saw)
		}
	}
}

func TestInterceptorsOfAServer(t *testing.T) {
	var saw []string
	mark := func(name string) ServerInterceptor {
		return func(ctx context.Context, c *Call, next ProcessFunc) error {
			if c.Arguments() != nil || c.Result() != nil || c.Err() != nil {
				t.Error("something is known before the call")
			}
			outer, _ := ctx.Value(traceKey{}).(string)
			err := next(context.WithValue(ctx, traceKey{}, outer+">"+name), c)
			if fmt.Sprint(err) != fmt.Sprint(c.Err()) || (err == nil) != (c.Result() != nil) {
				t.Errorf("next gives %v, the call %v and %v", err, c.Err(), c.Result())
			}
			text := "nothing"
			if args, ok := c.Arguments().(*note); ok {
				text = args.Text
			}
			saw = append(saw, fmt.Sprintf("%s %s %s %v", name, c.Function, text, err))
			return err
		}
	}
	f := functions{
		"echo":   func(ctx context.Context, s string) (string, error) { return s + ctx.Value(traceKey{}).(string), nil },
		"fail":   func(context.Context, string) (string, error) { return "", errors.New("no luck") },
		"panic":  func(context.Context, string) (string, error) { panic("secret") },
		"oneway": func(context.Context, string) (string, error) { return "", errors.New("no luck, once") },
	}
	var lines logLines
	s := &Server{Logger: lines.logger(), Processor: InterceptProcessor(f, mark("a"), mark("b"), func(ctx context.Context, c *Call, next ProcessFunc) error {
		switch c.Function {
		case "refused":
			return &ApplicationException{UnsupportedClientType, "go away"}
		case "other":
			_ = next(ctx, c) // an exception: there is no such function
			c.Reply(&note{Text: "instead"})
			return nil
		}
		return next(ctx, c)
	})}
	address := serve(t, s)
	c := dial(t, address, Framed, Binary)
	for _, want := range []struct {
		function, answer, err string
		saw                   []string
	}{
		{"echo", "x>a>b", "", []string{"b echo x <nil>", "a echo x <nil>"}},
		{"fail", "", "fail: no luck", []string{"b fail x no luck", "a fail x no luck"}},
		{"panic", "", "panic: internal error", nil},
		{"none", "", `unknown function "none"`, []string{`b none nothing unknown function "none"`, `a none nothing unknown function "none"`}},
		{"refused", "", "go away", []string{"b refused nothing go away", "a refused nothing go away"}},
		{"other", "instead", "", []string{"b other nothing <nil>", "a other nothing <nil>"}},
	} {
		saw = nil
		got, err := call(t.Context(), c, want.function, "x")
		if got != want.answer || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%s: %q, %v", want.function, got, err)
		}
		if !slices.Equal(saw, want.saw) {
			t.Errorf("%s: saw %q, want %q", want.function, saw, want.saw)
		}
	}
	plain := NewClient(Local(&Server{Logger: lines.logger(), Processor: InterceptProcessor(f, func(ctx context.Context, c *Call, next ProcessFunc) error {
		if c.Function == "silent" {
			return nil
		}
		_ = next(context.WithValue(ctx, traceKey{}, ""), c)
		return errors.New("after all")
	})}), ClientOptions{})
	_, err := call(t.Context(), plain, "echo", "x")
	wantException(t, err, InternalError, "echo: after all")
	_, err = call(t.Context(), plain, "silent", "x")
	wantException(t, err, MissingResult, "neither a result nor an exception")

	// A oneway call that fails is logged once.
	if err := c.Call(t.Context(), "oneway", &note{Text: "x"}, nil); err != nil {
		t.Error(err)
	}
	if _, err := call(t.Context(), c, "echo", "x"); err != nil {
		t.Error(err)
	}
	if n := strings.Count(lines.String(), "no luck, once"); n != 1 {
		t.Errorf("a oneway call that failed was logged %d times", n)
	}
}

func TestInterceptorsCostNothing(t *testing.T) {
	caller := Local(&Server{Processor: echo})
	client := NewClient(caller, ClientOptions{})
	if Intercept(client) != Caller(client) {
		t.Error("a caller without interceptors is another one")
	}
	p := &struct{ functions }{echo}
	if InterceptProcessor(p) != Processor(p) {
		t.Error("a processor without interceptors is another one")
	}

	testenv.Allocations(t)
	args, answer := new(ignored), &note{Text: "answer"}
	var calls int
	count := func(ctx context.Context, c *Call, next ProcessFunc) error { calls++; return next(ctx, c) }
	address := serve(t, &Server{Processor: InterceptProcessor(processorFunc(func(_ context.Context, c *Call) {
		if c.Args(args) {
			c.Reply(answer)
		}
	}), count, count)})
	pass := func(ctx context.Context, function string, args, result Body, next CallFunc) error {
		return next(ctx, function, args, result)
	}
	c := Intercept(dial(t, address, Framed, Binary), pass, pass)
	text, result := &note{Text: "call"}, new(ignored)
	if n := testing.AllocsPerRun(200, func() {
		if err := c.Call(context.Background(), "f", text, result); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	if calls < 400 {
		t.Errorf("interceptors saw %d calls", calls)
	}
}
