package thrift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// A registry is a resolver that a test tells what it knows.
type registry struct {
	mu    sync.Mutex
	list  []string
	err   error
	asked int
}

func (r *registry) set(err error, list ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err, r.list = err, list
}

func (r *registry) Resolve(context.Context) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return slices.Clone(r.list), r.err
}

// who answers by the name of its server.
func who(name string) functions {
	return functions{"who": func(context.Context, string) (string, error) { return name, nil }}
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range 3000 {
		if so() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("after 30 seconds: %s", what)
}

// A pool follows its resolver: to servers that come, away from those that go, with calls under way
// answered, and goes on with what it knows when the resolver fails.
func TestPoolFollowsItsResolver(t *testing.T) {
	noLeaks(t)
	release := make(chan struct{})
	hang := functions{"hang": func(context.Context, string) (string, error) { <-release; return "a", nil }, "who": who("a")["who"]}
	a, b := serveOneOfSeveral(t, &Server{Processor: hang}), serveOneOfSeveral(t, &Server{Processor: who("b")})
	r := new(registry)
	r.set(errors.New("no registry"))
	p := pool(t, PoolOptions{Resolver: r, Refresh: time.Nanosecond})
	_, err := call(t.Context(), p, "who", "")
	wantError(t, err, "no registry")
	if !errors.Is(err, ErrNotSent) {
		t.Errorf("%v: is not ErrNotSent", err)
	}
	r.set(nil)
	_, err = call(t.Context(), p, "who", "")
	wantError(t, err, "the resolver knows no server")

	r.set(nil, a, a)
	if got, err := call(t.Context(), p, "who", ""); got != "a" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if s := p.Stats(); len(s.Servers) != 1 || s.Resolved != "" {
		t.Errorf("%+v", s)
	}
	hung := make(chan error, 1)
	go func() {
		got, err := call(t.Context(), p, "hang", "")
		if got != "a" {
			err = errors.Join(err, fmt.Errorf("got %q", got))
		}
		hung <- err
	}()
	eventually(t, "no call hangs", func() bool { return p.Stats().InFlight == 1 && p.Stats().Servers[0].Calls == 1 })
	r.set(nil, b)
	eventually(t, "a is still called", func() bool {
		got, err := call(t.Context(), p, "who", "")
		return got == "b" && err == nil
	})
	close(release)
	if err := <-hung; err != nil {
		t.Errorf("the call under way to a: %v", err)
	}
	eventually(t, "a connection to a is kept", func() bool { s := p.Stats(); return s.Conns == 1 && s.Servers[0].Address == b })

	r.set(errors.New("the registry is away"))
	eventually(t, "the failure isn't in Stats", func() bool {
		if got, err := call(t.Context(), p, "who", ""); got != "b" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		return p.Stats().Resolved == "the registry is away"
	})
}

// Between its refreshes a resolver is asked only if no server can be reached.
func TestPoolAsksItsResolverWhenServersAreGone(t *testing.T) {
	noLeaks(t)
	r := new(registry)
	first := &Server{Processor: who("first")}
	r.set(nil, serveOneOfSeveral(t, first))
	p := pool(t, PoolOptions{Resolver: r, Refresh: -1})
	for range 10 {
		if _, err := call(t.Context(), p, "who", ""); err != nil {
			t.Fatal(err)
		}
	}
	r.mu.Lock()
	if r.asked != 1 {
		t.Errorf("asked %d times", r.asked)
	}
	r.mu.Unlock()
	_ = first.Close()
	r.set(nil, serveOneOfSeveral(t, &Server{Processor: who("second")}))
	eventually(t, "the new server isn't found", func() bool {
		got, err := call(t.Context(), p, "who", "")
		return got == "second" && err == nil
	})
}

// A pool can be closed, and calls given up, while the resolver hangs.
func TestPoolWithAResolverThatHangs(t *testing.T) {
	noLeaks(t)
	entered := make(chan struct{})
	p := pool(t, PoolOptions{Resolver: ResolverFunc(func(ctx context.Context) ([]string, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	}), DialTimeout: -1})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	if _, err := call(ctx, p, "who", ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	go func() { _ = p.Close() }()
	if _, err := call(t.Context(), p, "who", ""); err == nil {
		t.Error("a call on a closed pool has an answer")
	}
}

func TestPoolOptionsOfServers(t *testing.T) {
	_, err := NewPool(PoolOptions{Addresses: []string{"a:1"}, Resolver: new(registry)})
	wantError(t, err, "either PoolOptions.Addresses or a Resolver")
	if got, err := DNS("127.0.0.1:90").Resolve(t.Context()); len(got) != 1 || got[0] != "127.0.0.1:90" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err = DNS("orders").Resolve(t.Context())
	wantError(t, err, "missing port")
}

// A shardNote has a shard.
type shardNote struct{ note }

func (n *shardNote) ShardKey() string { return n.Text }

// Calls with the same argument go to the same server, and to the same deputy of all clients when
// that is gone; others stay where they were.
func TestByShard(t *testing.T) {
	noLeaks(t)
	servers := map[string]*Server{}
	var addresses []string
	for _, name := range []string{"a", "b", "c"} {
		servers[name] = &Server{Processor: who(name)}
		addresses = append(addresses, serveOneOfSeveral(t, servers[name]))
	}
	where := func(p *Pool) map[string]string {
		at := map[string]string{}
		for i := range 200 {
			key := fmt.Sprint("user ", i%100)
			var answer note
			if err := p.Call(t.Context(), "who", &shardNote{note{Text: key}}, &answer); err != nil {
				t.Fatal(err)
			}
			if was, ok := at[key]; ok && was != answer.Text {
				t.Errorf("%s is at %s and at %s", key, was, answer.Text)
			}
			at[key] = answer.Text
		}
		return at
	}
	one := pool(t, PoolOptions{Addresses: addresses, Balancer: ByShard()})
	slices.Reverse(addresses)
	other := pool(t, PoolOptions{Addresses: slices.Clone(addresses), Balancer: ByShard()})
	before := where(one)
	count := map[string]int{}
	for key, at := range where(other) {
		count[at]++
		if before[key] != at {
			t.Errorf("%s is at %s for one client and at %s for the other", key, before[key], at)
		}
	}
	if len(count) != 3 {
		t.Errorf("servers have %v of 100 users", count)
	}
	_ = servers["b"].Close()
	eventually(t, "pools still call b", func() bool {
		var answer note
		return one.Call(t.Context(), "who", &shardNote{}, &answer) == nil && other.Call(t.Context(), "who", &shardNote{}, &answer) == nil
	})
	after := map[string]string{}
	eventually(t, "a user of b gets an error", func() bool { // as long as connections to it are known
		for key := range before {
			for _, p := range []*Pool{one, other} {
				var answer note
				if p.Call(t.Context(), "who", &shardNote{note{Text: key}}, &answer) != nil {
					return false
				}
				if was := after[key]; was != "" && was != answer.Text {
					t.Errorf("%s has two deputies, %s and %s", key, was, answer.Text)
				}
				after[key] = answer.Text
			}
		}
		return true
	})
	for key, at := range after {
		if before[key] != "b" && at != before[key] || at == "b" {
			t.Errorf("%s was at %s and is at %s", key, before[key], at)
		}
	}
	for range 30 { // calls without a shard
		if _, err := call(t.Context(), one, "who", ""); err != nil {
			t.Error(err)
		}
	}
}

type badBalancer int

func (b badBalancer) Pick(string, Body, []Candidate) int { return int(b) }

func TestABalancerThatPicksNone(t *testing.T) {
	noLeaks(t)
	for _, i := range []int{-1, 1} {
		p := pool(t, PoolOptions{Addresses: []string{serveOneOfSeveral(t, &Server{Processor: echo})}, Balancer: badBalancer(i)})
		_, err := call(t.Context(), p, "echo", "")
		wantError(t, err, fmt.Sprintf("picked candidate %d of 1", i))
	}
}

func TestPoolStats(t *testing.T) {
	noLeaks(t)
	release := make(chan struct{})
	s := &Server{Processor: functions{"hang": func(context.Context, string) (string, error) { <-release; return "", nil }}}
	const nobody = "127.0.0.1:1" // a port that is never given away
	p := pool(t, PoolOptions{Addresses: []string{nobody, serveOneOfSeveral(t, s)}, MaxConns: 2})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := call(t.Context(), p, "hang", ""); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, "no call waits", func() bool {
		s := p.Stats()
		return s.InFlight == 2 && s.Waiting == 1 && s.Conns == 2 && s.Calls == 2 && s.Servers[1].Calls == 2
	})
	close(release)
	wg.Wait()
	got := p.Stats()
	if got.InFlight != 0 || got.Waiting != 0 || got.Calls != 3 || got.Made != 2 || got.Idle != 2 || got.Servers[1].Idle != 2 || got.Servers[0].Failures == 0 {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = call(ctx, p, "hang", "")
	if again := p.Stats(); again.Lost != 0 || again.Made != 2 {
		t.Errorf("%+v", again)
	}
	_ = s.Close()
	eventually(t, "calls are answered", func() bool { _, err := call(t.Context(), p, "hang", ""); return err != nil })
	if again := p.Stats(); again.Replaced+again.Lost != 2 || again.Conns != 0 {
		t.Errorf("%+v", again)
	}
}
