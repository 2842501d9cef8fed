// Package cluster is a model of the cluster in examples/thrift-cluster: callers, servers, a
// registry, and what happens to them. It is a simulation by discrete events, with a seed:
// the same seed gives the same run.
//
// What is modelled: servers with a queue and processors each, or all on one machine;
// service times drawn from measured ones; users who belong to servers by hash; clients that
// see the registry with a delay; servers that are killed, whose calls under way are lost and
// whose entry stays until the lease is over; servers that hang, which take calls and answer
// none, until they go on; servers that drain and come again; time limits, breakers, and
// retries of what may be repeated. What is not: the network's capacity, garbage collection,
// and calls of different kinds.
package cluster

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Time is in seconds.
type Time = float64

// A Config is what is simulated. Times are in seconds.
type Config struct {
	Seed    uint64
	Servers int
	// Processors are those of each server, or of all of them together if Shared is set.
	Processors int
	Shared     bool

	// Service draws the processor's time of a call; Delay is what it waits besides, on its
	// way there and back.
	Service func(*rand.Rand) Time
	Delay   Time

	// Callers call again as soon as they are answered. 0: calls arrive at random, Rate a
	// second, whether others are answered or not.
	Callers int
	Rate    float64
	// Users are distributed over the servers. 0: every call goes to a random server.
	Users int
	// Idempotent is the share of calls that may be sent again.
	Idempotent float64
	// Pause is how long a caller waits after an error.
	Pause Time

	For     Time // how long calls are made; what is under way then is finished
	Timeout Time // of a call with all its attempts
	Retries int
	Refresh Time // how often clients look into the registry; each at a time of its own
	Clients int  // default: 16
	Lease   Time // how long a killed server stays in the registry
	Grace   Time // how long a draining server serves on
	Start   Time // how long a new one takes until it joins
	Again   Time // how long one that has hung takes until it is in the registry again
	Breaker Breaker

	Events []Event
}

// A Breaker is what keeps a client from a server whose calls fail: each client has one for
// each server. Once open it lets nothing through for a while, and then one call at a time
// until some in a row were answered.
type Breaker struct {
	Samples   int     // it opens when so many calls have ended at least (0: there is none),
	Share     float64 // and so many of them have failed,
	Window    Time    // of those of the last so many seconds
	Cooling   Time    // how long it is open
	Detect    Time    // how far apart the calls are that it then lets through
	Successes int     // how many answers in a row close it
}

// An Event happens to one server.
type Event struct {
	At     Time
	Server int
	What   Happening
}

// A Happening is what happens to a server.
type Happening int

// The happenings.
const (
	Kill     Happening = iota // it is gone, with what is under way
	Restart                   // it drains, ends, starts anew and joins
	Join                      // it joins, having been killed or not there yet
	Absent                    // it is not there: at time 0
	Hang                      // it takes calls and answers none, and its lease runs out
	Continue                  // it goes on with what it has
)

// Rolling is an upgrade of all servers, so many at a time.
func Rolling(c Config, begin Time, at int) (list []Event) {
	for s := range c.Servers {
		list = append(list, Event{begin + Time(s/at)*(c.Grace+c.Start+1), s, Restart})
	}
	return list
}

// A Result is what came of the calls.
type Result struct {
	Calls    int // that were made
	Answered int
	Lost     int // sent and not answered, and not sent again: nobody knows
	Late     int // ran into their time limit
	Refused  int // no server could be reached
	Retried  int // attempts after one that was sent
	Moved    int // attempts at the next server, since one refused the connection

	Took       []Time // of the calls that were answered, sorted
	Throughput float64
	Elapsed    Time
	LastError  Time // when the last error was; 0: never
	Busy       float64
}

// Errors are the calls without an answer.
func (r Result) Errors() int { return r.Lost + r.Late + r.Refused }

// Percentile of the times of answered calls.
func (r Result) Percentile(p float64) Time {
	if len(r.Took) == 0 {
		return math.NaN()
	}
	return r.Took[int(float64(len(r.Took)-1)*p/100)]
}

// Mean of the times of answered calls.
func (r Result) Mean() Time {
	sum := 0.0
	for _, t := range r.Took {
		sum += t
	}
	return sum / float64(len(r.Took))
}

// A call is one on its way.
type call struct {
	user, client, caller int
	begin                Time
	sent                 int // attempts that a server has got
	passed               int // servers that refused: the next in order is tried
	idempotent           bool
	over                 bool
	on                   *server
	life                 int // of the server when it was sent
}

type server struct {
	id      int
	accepts bool // connections; one that drains finishes what it has nevertheless
	life    int  // counts how often it was killed
	hung    int  // odd while it hangs: counts how often it hung and went on
	held    []*call
	host    *host
}

// A host has processors and a queue.
type host struct {
	free  int
	queue []*call
	head  int
}

// A view is the registry from some time on.
type view struct {
	from    Time
	in      []bool
	servers []int32
}

type event struct {
	at  Time
	seq int // of two at the same time the older
	do  func()
}

type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(event)) }
func (a *agenda) Pop() any {
	old := *a
	x := old[len(old)-1]
	old[len(old)-1] = event{}
	*a = old[:len(old)-1]
	return x
}

type simulation struct {
	Config
	rand    *rand.Rand
	now     Time
	seq     int
	agenda  agenda
	servers []*server
	views   []*view // the newest last
	in      []bool
	orders  map[int][]int32 // of each user: the servers that come first, there or not
	phase   []Time
	breaker map[[2]int]*breaker // of a client and a server
	busy    Time
	r       Result
}

// Run simulates.
func Run(c Config) (Result, error) {
	switch {
	case c.Servers < 1 || c.Processors < 1:
		return Result{}, fmt.Errorf("%d servers with %d processors: want one of each at least", c.Servers, c.Processors)
	case c.Service == nil:
		return Result{}, fmt.Errorf("no service times")
	case (c.Callers > 0) == (c.Rate > 0):
		return Result{}, fmt.Errorf("%d callers and %g calls a second: want one of the two", c.Callers, c.Rate)
	case c.For <= 0 || c.Timeout <= 0:
		return Result{}, fmt.Errorf("for %g seconds, with a time limit of %g: want more than 0", c.For, c.Timeout)
	}
	for _, e := range c.Events {
		if e.Server < 0 || e.Server >= c.Servers {
			return Result{}, fmt.Errorf("something happens to server %d of %d", e.Server, c.Servers)
		}
	}
	if c.Clients == 0 {
		c.Clients = 16
	}
	s := &simulation{Config: c, rand: rand.New(rand.NewPCG(c.Seed, 24)), in: make([]bool, c.Servers), orders: map[int][]int32{}, breaker: map[[2]int]*breaker{}}
	shared := &host{free: c.Processors}
	for i := range c.Servers {
		h := shared
		if !c.Shared {
			h = &host{free: c.Processors}
		}
		s.servers = append(s.servers, &server{id: i, accepts: true, host: h})
		s.in[i] = true
	}
	for range c.Clients {
		s.phase = append(s.phase, s.rand.Float64()*c.Refresh)
	}
	for _, e := range c.Events {
		if e.What == Absent {
			s.servers[e.Server].accepts, s.in[e.Server] = false, false
			continue
		}
		s.at(e.At, func() { s.happen(s.servers[e.Server], e.What) })
	}
	s.publish()
	s.views[0].from = math.Inf(-1) // clients know what there is when they begin
	if c.Callers > 0 {
		for i := range c.Callers {
			s.at(0, func() { s.begin(i) })
		}
	} else {
		s.arrive()
	}
	for len(s.agenda) > 0 {
		e := heap.Pop(&s.agenda).(event)
		s.now = e.at
		e.do()
	}
	slices.Sort(s.r.Took)
	s.r.Elapsed = max(c.For, 0)
	s.r.Throughput = float64(s.r.Answered) / s.r.Elapsed
	processors := c.Processors
	if !c.Shared {
		processors *= c.Servers
	}
	s.r.Busy = s.busy / (s.r.Elapsed * float64(processors))
	return s.r, nil
}

func (s *simulation) at(t Time, do func()) {
	s.seq++
	heap.Push(&s.agenda, event{t, s.seq, do})
}

func (s *simulation) after(d Time, do func()) { s.at(s.now+d, do) }

// arrive makes the next call of an open load.
func (s *simulation) arrive() {
	s.after(s.rand.ExpFloat64()/s.Rate, func() {
		if s.now < s.For {
			s.begin(-1)
			s.arrive()
		}
	})
}

func (s *simulation) begin(caller int) {
	if s.now >= s.For {
		return
	}
	s.r.Calls++
	c := &call{caller: caller, begin: s.now, client: s.rand.IntN(s.Clients), idempotent: s.rand.Float64() < s.Idempotent, user: s.rand.Int()}
	if s.Users > 0 {
		c.user %= s.Users
	}
	s.at(s.now+s.Timeout, func() {
		if !c.over {
			s.r.Late++
			if c.on != nil {
				s.tell(c.client, c.on, false)
			}
			s.fail(c)
		}
	})
	s.send(c)
}

// end ends a call, and its caller makes the next.
func (s *simulation) end(c *call, pause Time) {
	c.over = true
	if c.caller >= 0 {
		s.after(pause, func() { s.begin(c.caller) })
	}
}

func (s *simulation) fail(c *call) {
	s.r.LastError = s.now
	s.end(c, s.Pause)
}

// send sends a call to the server that its client takes for the right one.
func (s *simulation) send(c *call) {
	if c.over {
		return
	}
	ranks := s.ranks(c)
	if c.passed >= len(ranks) || c.passed >= maxRanks {
		s.r.Refused++
		s.fail(c)
		return
	}
	to := s.servers[ranks[c.passed]]
	if !s.allowed(c.client, to) {
		c.passed++
		s.r.Moved++
		s.send(c)
		return
	}
	if !to.accepts { // it refuses, which takes as long as a way there and back
		s.tell(c.client, to, false)
		c.passed++
		s.r.Moved++
		s.after(s.Delay, func() { s.send(c) })
		return
	}
	c.sent++
	c.on, c.life = to, to.life
	s.after(s.Delay/2, func() { s.queue(c) })
}

// queue puts a call into its server's queue.
func (s *simulation) queue(c *call) {
	if c.life != c.on.life {
		s.drop(c)
		return
	}
	if c.on.hangs() {
		c.on.held = append(c.on.held, c)
		return
	}
	h := c.on.host
	if h.free == 0 {
		h.queue = append(h.queue, c)
		return
	}
	h.free--
	s.serve(h, c)
}

func (s *simulation) serve(h *host, c *call) {
	d := s.Service(s.rand)
	life, on := c.life, c.on
	if s.now < s.For {
		s.busy += min(d, s.For-s.now)
	}
	s.after(d, func() {
		switch {
		case life != on.life:
			s.drop(c)
		case on.hangs(): // it stopped before the end: what is missing takes as long again
			on.held = append(on.held, c)
		default:
			s.after(s.Delay/2, func() { s.answer(c) })
		}
		for h.head < len(h.queue) {
			next := h.queue[h.head]
			h.queue[h.head] = nil
			h.head++
			if h.head == len(h.queue) {
				h.queue, h.head = h.queue[:0], 0
			}
			switch {
			case next.life != next.on.life:
				s.drop(next)
			case next.on.hangs():
				next.on.held = append(next.on.held, next)
			default:
				s.serve(h, next)
				return
			}
		}
		h.free++
	})
}

func (s *simulation) answer(c *call) {
	if c.over {
		return
	}
	s.tell(c.client, c.on, true)
	s.r.Answered++
	s.r.Took = append(s.r.Took, s.now-c.begin)
	s.end(c, 0)
}

// drop is what becomes of a call whose server has gone.
func (s *simulation) drop(c *call) {
	switch {
	case c.over:
	case c.idempotent && c.sent <= s.Retries:
		s.r.Retried++
		s.send(c)
	default:
		s.r.Lost++
		s.fail(c)
	}
}

func (s *simulation) happen(x *server, what Happening) {
	switch what {
	case Kill:
		x.accepts = false
		x.life++
		for _, c := range x.held {
			s.drop(c)
		}
		x.held = nil
		life := x.life
		s.after(s.Lease, func() {
			if !x.accepts && x.life == life {
				s.register(x, false)
			}
		})
	case Join:
		x.accepts = true
		s.register(x, true)
	case Hang:
		if x.hangs() {
			return
		}
		x.hung++
		times := x.hung
		s.after(s.Lease, func() {
			if x.hung == times && x.accepts {
				s.register(x, false)
			}
		})
	case Continue:
		if !x.hangs() {
			return
		}
		x.hung++
		// Callers have given up some of these calls. It doesn't know, and serves them.
		held := x.held
		x.held = nil
		for _, c := range held {
			s.queue(c)
		}
		life := x.life
		s.after(s.Again, func() {
			if x.accepts && x.life == life && !s.in[x.id] {
				s.register(x, true)
			}
		})
	case Restart:
		s.register(x, false)
		// It serves on until clients know. Then it takes nothing new, finishes what it has, and
		// starts again.
		s.after(s.Grace, func() {
			x.accepts = false
			s.after(s.Start, func() { s.happen(x, Join) })
		})
	}
}

func (s *simulation) register(x *server, in bool) {
	s.in[x.id] = in
	s.publish()
}

// publish makes what is in the registry known.
func (s *simulation) publish() {
	v := &view{from: s.now, in: slices.Clone(s.in)}
	for i, in := range s.in {
		if in {
			v.servers = append(v.servers, int32(i))
		}
	}
	s.views = append(s.views, v)
}

// sees is what a client knows of the registry: what there was when it looked last.
func (s *simulation) sees(client int) *view {
	looked := s.now
	if s.Refresh > 0 {
		looked = s.phase[client] + math.Floor((s.now-s.phase[client])/s.Refresh)*s.Refresh
	}
	for i := len(s.views) - 1; ; i-- {
		if i == 0 || s.views[i].from <= looked {
			return s.views[i]
		}
	}
}

// maxRanks is how many servers are tried for a call.
const maxRanks = 4

// ranks are the servers for a call, the best first, by rendezvous hashing as in the example.
func (s *simulation) ranks(c *call) []int32 {
	v := s.sees(c.client)
	if s.Users == 0 { // a call for itself: the order begins anywhere
		n := len(v.servers)
		list := make([]int32, 0, maxRanks)
		for i := range min(n, maxRanks) {
			list = append(list, int32(v.servers[(c.user%n+i)%n]))
		}
		return list
	}
	order, ok := s.orders[c.user]
	if !ok {
		order = rendezvous(c.user, len(s.servers), 4*maxRanks, nil)
		s.orders[c.user] = order
	}
	list := make([]int32, 0, maxRanks)
	for _, id := range order {
		if v.in[id] && len(list) < maxRanks {
			list = append(list, id)
		}
	}
	if len(list) < maxRanks && len(list) < len(v.servers) {
		return rendezvous(c.user, len(s.servers), maxRanks, v.in) // so many are away
	}
	return list
}

// rendezvous gives the first n servers for a user, of those that are in.
func rendezvous(user, servers, n int, in []bool) []int32 {
	best := make([]uint64, n)
	list := make([]int32, 0, n)
	for id := range servers {
		if in != nil && !in[id] {
			continue
		}
		h := mix(mix(uint64(id)+1) ^ uint64(user))
		i := len(list)
		for i > 0 && best[i-1] < h {
			i--
		}
		if i == n {
			continue
		}
		if len(list) < n {
			list = append(list, 0)
		}
		copy(best[i+1:], best[i:])
		copy(list[i+1:], list[i:])
		best[i], list[i] = h, int32(id)
	}
	return list
}

// mix spreads every bit over all of them (the last steps of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
