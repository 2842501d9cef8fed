package cluster

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func exponential(mean Time) func(*rand.Rand) Time {
	return func(r *rand.Rand) Time { return mean * r.ExpFloat64() }
}

func fixed(d Time) func(*rand.Rand) Time { return func(*rand.Rand) Time { return d } }

func run(t *testing.T, c Config) Result {
	t.Helper()
	r, err := Run(c)
	if err != nil {
		t.Fatal(err)
	}
	if sum := r.Answered + r.Errors(); sum != r.Calls {
		t.Fatalf("%d calls, of which %d have an end: %+v", r.Calls, sum, r)
	}
	if len(r.Took) != r.Answered {
		t.Fatalf("%d answers, %d times", r.Answered, len(r.Took))
	}
	return r
}

// What queueing theory says of a server, the simulation does: within 8 % of the mean time.
func TestKnownQueues(t *testing.T) {
	const s = 0.001
	for _, load := range []float64{0.3, 0.7, 0.85} {
		// Erlang's formula for two processors: the chance to wait.
		a := 2 * load
		wait := a * a / 2 / (1 - load) / (1 + a + a*a/2/(1-load))
		for name, x := range map[string]struct {
			service    func(*rand.Rand) Time
			processors int
			want       Time
		}{
			"M/M/1": {exponential(s), 1, s / (1 - load)},
			"M/D/1": {fixed(s), 1, s + s*load/(2*(1-load))},
			"M/M/2": {exponential(s), 2, s + wait*s/(2*(1-load))},
		} {
			r := run(t, Config{Seed: 1, Servers: 1, Processors: x.processors, Service: x.service,
				Rate: load * float64(x.processors) / s, For: 100, Timeout: 1000})
			if got := r.Mean(); math.Abs(got/x.want-1) > 0.08 {
				t.Errorf("%s at %g: a call takes %g, theory says %g (%d calls)", name, load, got, x.want, r.Calls)
			}
			if math.Abs(r.Busy/load-1) > 0.03 {
				t.Errorf("%s at %g: busy %g", name, load, r.Busy)
			}
		}
		// And a percentile: the time in M/M/1 is exponential.
		r := run(t, Config{Seed: 2, Servers: 1, Processors: 1, Service: exponential(s), Rate: load / s, For: 100, Timeout: 1000})
		if want := -math.Log(0.01) * s / (1 - load); math.Abs(r.Percentile(99)/want-1) > 0.15 {
			t.Errorf("p99 at %g is %g, theory says %g", load, r.Percentile(99), want)
		}
	}
}

// Callers that call again at once keep a server busy: its throughput is what it can do, and
// by Little's law calls take callers / throughput.
func TestClosedLoad(t *testing.T) {
	r := run(t, Config{Seed: 1, Servers: 3, Processors: 2, Shared: true, Service: fixed(0.001), Delay: 0.0005, Callers: 16, For: 20, Timeout: 100, Users: 1000})
	if math.Abs(r.Throughput/2000-1) > 0.01 {
		t.Errorf("%g calls a second", r.Throughput)
	}
	if math.Abs(r.Mean()*r.Throughput/16-1) > 0.01 {
		t.Errorf("calls take %g", r.Mean())
	}
}

func cluster(seed uint64) Config {
	return Config{Seed: seed, Servers: 10, Processors: 2, Service: exponential(0.01), Delay: 0.0002, Rate: 1000, Users: 5000, Idempotent: 0.5,
		For: 30, Timeout: 1, Retries: 2, Refresh: 1, Lease: 5, Grace: 2, Start: 1, Pause: 0.01}
}

func TestTheSameSeed(t *testing.T) {
	c := cluster(7)
	c.For = 10
	c.Events = []Event{{3, 1, Kill}, {5, 2, Restart}}
	a, b := run(t, c), run(t, c)
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed gives another run")
	}
	c.Seed++
	if reflect.DeepEqual(a, run(t, c)) {
		t.Error("another seed gives the same run")
	}
}

// A server that drains loses nothing; one that is killed loses what is under way there, of
// which what may be repeated is repeated; and clients go on at once.
func TestFailures(t *testing.T) {
	hit := 0
	for seed := range uint64(3) {
		c := cluster(seed)
		c.Events = Rolling(c, 1, 3)
		if r := run(t, c); r.Errors() != 0 || r.Retried != 0 || r.Moved != 0 {
			t.Errorf("seed %d: a rolling upgrade: %+v", seed, summary(r))
		}
		c.Events = []Event{{10, 3, Kill}}
		r := run(t, c)
		if r.Errors() != r.Lost || r.Lost+r.Retried > 100 || r.LastError > 10.2 {
			t.Errorf("seed %d: a killed server: %+v", seed, summary(r))
		}
		hit += r.Lost + r.Retried
		if r.Moved == 0 {
			t.Errorf("seed %d: nobody was refused by the server that is gone", seed)
		}
		c.Idempotent = 1
		if r := run(t, c); r.Errors() != 0 {
			t.Errorf("seed %d: all may be repeated: %+v", seed, summary(r))
		}
		// Without a grace clients come to a server that is gone, and go to the next.
		c.Grace, c.Events = 0, []Event{{10, 3, Restart}}
		if r := run(t, c); r.Errors() != 0 || r.Moved == 0 {
			t.Errorf("seed %d: no grace: %+v", seed, summary(r))
		}
		// All gone: nobody answers, until the first is there again.
		c.Events = nil
		for i := range c.Servers {
			c.Events = append(c.Events, Event{10, i, Kill}, Event{20, i, Join})
		}
		if r := run(t, c); r.Refused < 9000 || r.LastError > 22 {
			t.Errorf("seed %d: all gone: %+v", seed, summary(r))
		}
	}
	if hit == 0 {
		t.Error("no killed server had a call")
	}
}

// A server that hangs keeps its calls until their time limit. Its users go to the deputy when
// its lease is over, or with a breaker when that has seen enough, whatever the registry says;
// when the server goes on they come back, and nobody sees an error any more.
func TestHang(t *testing.T) {
	c := cluster(1)
	c.Service = exponential(0.001) // or what it has been sent meanwhile would keep it for seconds
	c.Events = []Event{{10, 3, Hang}, {20, 3, Continue}}
	c.Again = 1
	lease := run(t, c)
	// A client learns of it a second after the lease, at most, and waits a second for its call.
	if lease.Late < 100 || lease.Errors() != lease.Late || lease.LastError < 15 || lease.LastError > 17 {
		t.Errorf("by the lease: %+v", summary(lease))
	}
	c.Lease = math.Inf(1)
	kept := run(t, c)
	if kept.Late < lease.Late || kept.LastError < 19 || kept.LastError > 21 {
		t.Errorf("registered all the time: %+v", summary(kept))
	}
	c.Breaker = Breaker{Samples: 10, Share: 0.5, Window: 2, Cooling: 5, Detect: 0.2, Successes: 2}
	r := run(t, c)
	if r.Late == 0 || r.Late*2 > kept.Late || r.Errors() != r.Late || r.Moved == 0 {
		t.Errorf("with breakers: %+v, without: %+v", summary(r), summary(kept))
	}
	// It closes again: calls of the last seconds go to the server that they belong to, at once.
	c.Events[1].At = 11
	if back := run(t, c); back.LastError > 13 || back.Moved > r.Moved {
		t.Errorf("hung for a second: %+v", summary(back))
	}
	// A killed one that hung loses what it held.
	c.Breaker, c.Lease, c.Timeout = Breaker{}, 5, 100
	c.Events = []Event{{10, 3, Hang}, {12, 3, Kill}}
	if r := run(t, c); r.Lost+r.Retried < 50 || r.Late > 0 {
		t.Errorf("hung, then killed: %+v", summary(r))
	}
}

// The window of a breaker forgets.
func TestBreakerWindow(t *testing.T) {
	var b breaker
	for i := range 50 {
		b.note(i, true)
	}
	b.note(60, false)
	if b.sums != [2]int{50, 1} {
		t.Error(b.sums)
	}
	b.note(120, false)
	if b.sums != [2]int{29, 2} { // 0 to 20 are forgotten
		t.Error(b.sums)
	}
	b.note(1000, true)
	if b.sums != [2]int{1, 0} {
		t.Error(b.sums)
	}
}

func summary(r Result) Result {
	r.Took = nil
	return r
}

// A server that goes moves its own users, no others.
func TestFewUsersMove(t *testing.T) {
	in := make([]bool, 100)
	for i := range in {
		in[i] = i != 17
	}
	moved, own := 0, 0
	for user := range 10_000 {
		a, b := rendezvous(user, 100, 2, nil), rendezvous(user, 100, 1, in)
		if a[0] == 17 {
			own++
			if b[0] != a[1] {
				t.Fatalf("user %d goes to %d, not to its deputy %d", user, b[0], a[1])
			}
		} else if a[0] != b[0] {
			moved++
		}
	}
	if moved > 0 || own < 50 || own > 150 {
		t.Errorf("%d users of others have moved; %d were its own", moved, own)
	}
}

func TestNoSuchCluster(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Servers = 0 },
		func(c *Config) { c.Processors = 0 },
		func(c *Config) { c.Service = nil },
		func(c *Config) { c.Rate = 0 },
		func(c *Config) { c.Callers = 1 },
		func(c *Config) { c.For = 0 },
		func(c *Config) { c.Events = []Event{{1, 10, Kill}} },
	} {
		c := cluster(1)
		change(&c)
		if _, err := Run(c); err == nil {
			t.Errorf("%+v was simulated", c)
		}
	}
}
