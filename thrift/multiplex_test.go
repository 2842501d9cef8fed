package thrift

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

func upper(_ context.Context, s string) (string, error) { return strings.ToUpper(s), nil }

func TestMultiplexed(t *testing.T) {
	heard := make(chan string, 1)
	s := &Server{Processor: Multiplexed{
		"plain": echo, "loud": functions{"echo": upper, "oneway": func(_ context.Context, s string) (string, error) { heard <- s; return "", nil }},
		"": functions{"echo": func(context.Context, string) (string, error) { return "nobody's", nil }},
	}}
	for name, over := range map[string]Caller{
		"local": NewClient(Local(s), ClientOptions{}), "compact": NewClient(Local(s), ClientOptions{Protocol: Compact}),
	} {
		t.Run(name, func(t *testing.T) {
			call := func(c Caller, function, text string) (string, error) {
				var result note
				err := c.Call(t.Context(), function, &note{Text: text}, &result)
				return result.Text, err
			}
			plain, loud := Multiplex(over, "plain"), Multiplex(over, "loud")
			for range 2 { // names are made once
				for c, want := range map[Caller]string{plain: "a", loud: "A", over: "nobody's"} {
					if got, err := call(c, "echo", "a"); got != want || err != nil {
						t.Errorf("%q, %v, want %q", got, err, want)
					}
				}
			}
			for c, want := range map[Caller]string{
				Multiplex(over, "other"): `unknown service "other"`,
				Multiplex(over, ""):      "", // the service without a name may be named, too
			} {
				got, err := call(c, "echo", "a")
				var e *ApplicationException
				if want == "" && got != "nobody's" || want != "" && (!errors.As(err, &e) || e.Type != UnknownMethod || !strings.Contains(e.Message, want)) {
					t.Errorf("%q, %v, want %q", got, err, want)
				}
			}
			if _, err := call(loud, "sing", ""); err == nil || !strings.Contains(err.Error(), `unknown function "sing"`) {
				t.Errorf("the error is %v", err)
			}
			if err := loud.Call(t.Context(), "oneway", &note{Text: name}, nil); err != nil || <-heard != name {
				t.Errorf("oneway: %v", err)
			}
		})
	}
	// Without a service "" a name is asked for.
	delete(s.Processor.(Multiplexed), "")
	var e *ApplicationException
	if err := NewClient(Local(s), ClientOptions{}).Call(t.Context(), "echo", &note{}, &note{}); !errors.As(err, &e) || !strings.Contains(e.Message, `unknown service ""`) {
		t.Errorf("the error is %v", err)
	}
}

func TestMultiplexTogether(t *testing.T) {
	s := &Server{Processor: Multiplexed{"s": echo}}
	c, err := Dial(t.Context(), "tcp", serve(t, s), ConnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := NewClient(c, ClientOptions{})
	defer client.Close()
	m := Multiplex(client, "s")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				var result note
				if err := m.Call(t.Context(), "echo", &note{Text: "x"}, &result); err != nil || result.Text != "x" {
					t.Error(err, result.Text)
				}
			}
		})
	}
	all.Wait()
}

func TestMultiplexDoesNotAllocate(t *testing.T) {
	testenv.Allocations(t)
	var last string
	functions := []string{"function", "other"} // no constants, which would need no memory
	m := Multiplex(callerFunc(func(function string) { last = function }), "service")
	call := func() {
		for _, f := range functions {
			_ = m.Call(context.Background(), f, nil, nil)
		}
	}
	call()
	if n := testing.AllocsPerRun(100, call); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	if last != "service:other" {
		t.Errorf("the name is %q", last)
	}
}

type callerFunc func(function string)

func (f callerFunc) Call(_ context.Context, function string, _, _ Body) error {
	f(function)
	return nil
}

func TestMultiplexKeepsSoManyNames(t *testing.T) {
	var last string
	m := Multiplex(callerFunc(func(function string) { last = function }), "s").(*multiplex)
	for i := range 3 * mostNames {
		name := strconv.Itoa(i)
		if _ = m.Call(t.Context(), name, nil, nil); last != "s:"+name {
			t.Fatalf("%s is called by the name %s", name, last)
		}
	}
	if n := len(*m.names.Load()); n != mostNames {
		t.Errorf("%d names are kept, want %d", n, mostNames)
	}
}
