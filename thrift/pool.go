package thrift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// PoolOptions are for a [Pool]. The zero value of a field stands for its default.
type PoolOptions struct {
	// Addresses are those of servers that serve the same, as Dial takes them.
	Addresses []string
	// Resolver says what they are, in place of Addresses: when the first call is made, and again
	// every Refresh as long as there are calls, or when no server can be reached. Calls under way
	// to a server that it no longer knows are answered.
	Resolver Resolver
	// Refresh is how old the resolver's answer may be. 0: 10 seconds; negative: it is asked again
	// only if no server can be reached.
	Refresh time.Duration
	// Balancer chooses the server of a call. Default: the one with the fewest calls.
	Balancer Balancer
	// Network is that of the addresses. Default: tcp.
	Network string
	// Dial makes connections. Default: the method of that name of a net.Dialer. With TLS
	// it is that of a tls.Dialer: DialContext.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialTimeout is how long Dial may take. 0: 5 seconds; negative: no limit.
	DialTimeout time.Duration

	// MaxConns is how many connections may be open, and so how many calls may be under
	// way; more wait for their turn. 0: 100.
	MaxConns int
	// MaxIdle is how many connections are kept for later calls. 0: MaxConns; negative: none.
	MaxIdle int
	// IdleTimeout is how long a connection is kept unused. 0: 5 minutes, half of what
	// servers wait; negative: no limit.
	IdleTimeout time.Duration
	// Quiet is how long a connection without a [TTHeader] or [THeader] may be unused and be used
	// again: a server has no way to say that it goes away then, and closes what was unused for
	// longer (Server.Quiet). 0: a quarter of a second; negative: no limit.
	Quiet time.Duration

	// Conn and Client are those of each connection.
	Conn   ConnOptions
	Client ClientOptions
}

// A Pool is a [Caller] over connections to one or several servers, which it makes when they
// are needed. Calls from several goroutines don't wait for each other unless there are more
// than MaxConns. Each call has a connection of its own until it was answered, and goes to
// the server with the fewest of them.
//
// A connection that the peer has closed while it was unused, or on which something arrived
// that nobody asked for, is replaced before a call is sent. A server that can't be reached
// is left out for up to 2 seconds, as long as there are others; a call fails only if none
// can be reached. A call of which surely nothing was sent goes to another connection. Any other isn't
// repeated, since the server may have done what it says: if the connection dies the caller gets the
// error, and the next call another connection.
//
// A server of ours that shuts down says so, and loses no call ([Server.Shutdown]). If there is no
// other, calls wait for it to come back, for DialTimeout at most.
//
// A peer that has vanished without closing its connections, with its machine or the
// network, is noticed by the deadline of a context, or by ConnOptions.ReadTimeout: set one
// of them.
type Pool struct {
	opt      PoolOptions
	turns    chan struct{}   // has an entry for each call under way
	life     context.Context // ends with the pool
	end      context.CancelFunc
	mu       sync.Mutex // held twice in a call for some nanoseconds, which takes a thousand times as long
	backends []*backend
	next     int // where the search for a server begins
	conns    map[*poolConn]struct{}
	dialing  int // connections that are being made, which are not in conns yet
	idle     int
	sweeper  *time.Timer // closes connections that are idle for too long; nil if it isn't set

	resolving  chan struct{} // closed when the resolver has answered; nil if it isn't asked
	asked      time.Time     // when it has answered
	resolveErr error         // what
	stale      bool          // no server could be reached

	counts struct{ waiting, calls, made, lost, replaced, again atomic.Int64 }
}

// A backend is one of a pool's servers.
type backend struct {
	address  string
	busy     int         // connections with a call, and attempts to make one
	idle     []*poolConn // the one that was used last is the last
	failures int         // attempts to connect that have failed, since one hasn't
	back     time.Time   // until then others are tried first
	left     time.Time   // when it has ended a connection between two calls
	said     time.Time   // when it has said that it goes away
	ours     bool        // it could be asked whether it had accepted a connection
	removed  bool        // the resolver no longer knows it
}

// A poolConn is a connection of a pool.
type poolConn struct {
	backend  *backend
	conn     *Conn
	client   *Client
	probe    probe
	since    time.Time // when it became idle
	answered bool      // a call
}

const (
	defaultPoolConns   = 100
	defaultPoolIdle    = 5 * time.Minute
	defaultDialTimeout = 5 * time.Second

	defaultPoolQuiet = defaultQuiet / 2

	// A server that can't be reached is left out for twice as long each time.
	firstBackOff, lastBackOff = 50 * time.Millisecond, 2 * time.Second

	// A server that has ended its connections is left out for leftOut, if there are others. It may be
	// expected back for a second, or for expectedBack if it has said that it goes away. For as long
	// connections to it are given probation before they are used, since what a server accepts last
	// may be reset; none is made in the time of goneBy, when it may still accept.
	leftOut, expectedBack = 100 * time.Millisecond, 5 * time.Second
	probation, goneBy     = 5 * time.Millisecond, 50 * time.Millisecond
	retryAfter            = 10 * time.Millisecond
)

// NewPool makes a pool. No connection is made before the first call.
func NewPool(opt PoolOptions) (*Pool, error) {
	switch {
	case len(opt.Addresses) == 0 && opt.Resolver == nil:
		return nil, errors.New("thrift: a pool needs the address of a server (PoolOptions.Addresses), or a Resolver")
	case len(opt.Addresses) > 0 && opt.Resolver != nil:
		return nil, errors.New("thrift: a pool has either PoolOptions.Addresses or a Resolver")
	}
	if err := opt.Conn.Framing.speaks(opt.Client.Protocol); err != nil {
		return nil, err
	}
	opt.Network = cmp.Or(opt.Network, "tcp")
	if opt.Dial == nil {
		opt.Dial = new(net.Dialer).DialContext
	}
	if opt.MaxConns <= 0 {
		opt.MaxConns = defaultPoolConns
	}
	if opt.MaxIdle == 0 {
		opt.MaxIdle = opt.MaxConns
	}
	p := &Pool{opt: opt, turns: make(chan struct{}, opt.MaxConns), conns: make(map[*poolConn]struct{})}
	p.life, p.end = context.WithCancel(context.Background())
	for _, address := range opt.Addresses {
		p.backends = append(p.backends, &backend{address: address})
	}
	return p, nil
}

// Close closes all connections; calls under way fail.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.end()
	if p.sweeper != nil {
		p.sweeper.Stop()
		p.sweeper = nil
	}
	conns := p.conns
	p.conns, p.idle = nil, 0
	for _, b := range p.backends {
		b.idle = nil
	}
	p.mu.Unlock()
	for c := range conns {
		_ = c.client.Close()
	}
	return nil
}

// errPoolClosed is the error of calls after Close.
var errPoolClosed = fmt.Errorf("pool is closed: %w", net.ErrClosed)

// Call calls a function, as [Client] does, on a connection of the pool.
func (p *Pool) Call(ctx context.Context, function string, args, result Body) error {
	select {
	case p.turns <- struct{}{}:
	default:
		p.counts.waiting.Add(1)
		select {
		case p.turns <- struct{}{}:
			p.counts.waiting.Add(-1)
		case <-ctx.Done():
			p.counts.waiting.Add(-1)
			return fmt.Errorf("call %s: waiting for a connection: %w", function, notSent{ctx.Err()})
		}
	}
	defer func() { <-p.turns }()
	p.counts.calls.Add(1)
	for tries := 1; ; tries++ {
		c, err := p.take(ctx, function, args)
		if err != nil {
			return fmt.Errorf("call %s: %w", function, notSent{err})
		}
		err = c.client.Call(ctx, function, args, result)
		if err == nil && result != nil {
			c.answered = true
		}
		again := tries < 3 && errors.Is(err, ErrNotSent) && c.client.Err() != nil && ctx.Err() == nil
		p.put(c)
		if !again {
			return err
		}
		p.counts.again.Add(1)
	}
}

// take returns a connection for a call.
func (p *Pool) take(ctx context.Context, function string, args Body) (*poolConn, error) {
	var failed []*backend
	var errs []error
	var since time.Time // when all had failed
	for {
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
		if err := p.resolve(ctx); err != nil {
			return nil, err
		}
		var b *backend
		if p.opt.Balancer != nil {
			var err error
			if b, err = p.balance(failed, function, args); err != nil {
				return nil, err
			}
		}
		p.mu.Lock()
		if p.life.Err() != nil {
			p.mu.Unlock()
			return nil, errPoolClosed
		}
		if p.opt.Balancer == nil {
			b = p.choose(failed)
		}
		if b == nil {
			p.stale = true
			wait := slices.ContainsFunc(failed, (*backend).comesBack)
			p.mu.Unlock()
			if since.IsZero() {
				since = time.Now()
			}
			if limit := timeout(p.opt.DialTimeout, defaultDialTimeout); !wait || limit > 0 && time.Since(since) > limit || !sleep(ctx, p.life, retryAfter) {
				return nil, errors.Join(errs...)
			}
			failed, errs = nil, nil
			continue
		}
		b.busy++
		c := b.pop()
		var unused *poolConn
		if c != nil {
			p.idle--
		} else {
			unused = p.makeRoom()
			p.dialing++
		}
		p.mu.Unlock()
		switch {
		case c != nil && c.usable(timeout(p.opt.Quiet, defaultPoolQuiet)):
			return c, nil
		case c != nil:
			p.drop(c)
			continue
		case unused != nil:
			_ = unused.client.Close()
		}
		c, err := p.dial(ctx, b)
		if err == nil {
			return c, nil
		}
		failed, errs = append(failed, b), append(errs, err)
	}
}

// choose returns the server for a call: one that can be reached, as far as we know, and
// that has the fewest calls. nil if all have failed. p.mu is held.
func (p *Pool) choose(failed []*backend) (best *backend) {
	var now time.Time
	bestOut := false
	for i := range p.backends {
		b := p.backends[(p.next+i)%len(p.backends)]
		if len(failed) > 0 && slices.Contains(failed, b) {
			continue
		}
		out := b.failures > 0 || !b.left.IsZero()
		if out {
			if now.IsZero() {
				now = time.Now()
			}
			out = b.out(now)
		}
		if best == nil || bestOut && !out || bestOut == out && b.busy < best.busy {
			best, bestOut = b, out
		}
	}
	p.next = (p.next + 1) % max(1, len(p.backends))
	return best
}

// out reports whether others are tried first. The pool's mu is held.
func (b *backend) out(now time.Time) bool {
	return b.failures > 0 && now.Before(b.back) || now.Sub(b.left) < leftOut
}

// comesBack reports whether the server has gone not long ago. The pool's mu is held.
func (b *backend) comesBack() bool { return expected(b.left, b.said) }

// expected reports whether a server may be expected back that has ended a connection, or said that
// it goes away, at these times.
func expected(left, said time.Time) bool {
	return !said.IsZero() && time.Since(said) < expectedBack || !left.IsZero() && time.Since(left) < time.Second
}

// sleep waits; false if one of the contexts was done before.
func sleep(ctx, life context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-life.Done():
	}
	return false
}

// pop takes the idle connection that was used last, if there is one.
func (b *backend) pop() *poolConn {
	n := len(b.idle)
	if n == 0 {
		return nil
	}
	c := b.idle[n-1]
	b.idle[n-1] = nil
	b.idle = b.idle[:n-1]
	return c
}

// makeRoom takes the connection that was idle for longest out of the pool, if there can't be
// another one otherwise. p.mu is held.
func (p *Pool) makeRoom() (oldest *poolConn) {
	if p.idle == 0 || len(p.conns)+p.dialing < p.opt.MaxConns {
		return nil
	}
	for _, b := range p.backends {
		if len(b.idle) > 0 && (oldest == nil || b.idle[0].since.Before(oldest.since)) {
			oldest = b.idle[0]
		}
	}
	oldest.backend.idle = slices.Delete(oldest.backend.idle, 0, 1)
	p.idle--
	delete(p.conns, oldest)
	return oldest
}

// dial makes a connection to a server, which is busy with it already.
func (p *Pool) dial(ctx context.Context, b *backend) (*poolConn, error) {
	var attempt context.Context
	var cancel context.CancelFunc
	if limit := timeout(p.opt.DialTimeout, defaultDialTimeout); limit > 0 {
		attempt, cancel = context.WithTimeout(ctx, limit)
	} else {
		attempt, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	p.mu.Lock()
	onProbation, ours, still := b.comesBack(), b.ours, time.Duration(0)
	if onProbation {
		still = goneBy - time.Since(b.left)
	}
	p.mu.Unlock()
	if still > 0 {
		sleep(attempt, p.life, still)
	}
	conn, err := p.opt.Dial(attempt, p.opt.Network, b.address)
	var t *Conn
	if err == nil {
		if t = NewConn(conn, p.opt.Conn); onProbation {
			err = t.tryOut(attempt, ours)
		}
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialing--
	if err == nil && p.life.Err() != nil {
		err = errors.Join(errPoolClosed, conn.Close())
	}
	if err != nil {
		b.busy--
		if p.life.Err() != nil {
			return nil, errPoolClosed
		}
		if ctx.Err() == nil { // else it is not the server's fault
			b.back = time.Now().Add(min(firstBackOff<<min(b.failures, 10), lastBackOff))
			b.failures++
		}
		return nil, err
	}
	b.failures = 0
	c := &poolConn{backend: b, conn: t, client: NewClient(t, p.opt.Client), probe: newProbe(conn)}
	p.conns[c] = struct{}{}
	p.counts.made.Add(1)
	return c, nil
}

// usable reports whether the peer still waits for a call, as far as we can know.
func (c *poolConn) usable(quiet time.Duration) bool {
	if quiet > 0 && !c.conn.opt.Framing.hasHeader() && time.Since(c.since) > quiet {
		return false
	}
	return c.conn.quiet(&c.probe, !c.answered)
}

// drop closes a connection that was taken.
func (p *Pool) drop(c *poolConn) {
	gone := c.gone()
	switch {
	case gone:
		p.counts.replaced.Add(1)
	case c.client.Err() != nil:
		p.counts.lost.Add(1)
	}
	_ = c.client.Close()
	p.mu.Lock()
	if gone {
		c.backend.left, c.backend.ours = time.Now(), c.conn.ours.Load()
		if c.conn.leaving.Load() {
			c.backend.said = c.backend.left
		}
	}
	c.backend.busy--
	delete(p.conns, c)
	p.mu.Unlock()
}

// gone reports whether the server has ended the connection between two calls, or said that it
// does.
func (c *poolConn) gone() bool {
	if c.conn.leaving.Load() || c.client.Err() != nil || c.conn.quiet(&c.probe, !c.answered) {
		return c.conn.leaving.Load()
	}
	if c.conn.opt.Framing.hasHeader() && c.conn.conn.SetReadDeadline(time.Now().Add(time.Millisecond)) == nil {
		_, _ = c.conn.read() // what has arrived may be the server's word
	}
	return true
}

// put gives a connection back after a call.
func (p *Pool) put(c *poolConn) {
	if c.client.Err() != nil || c.conn.leaving.Load() {
		p.drop(c)
		return
	}
	p.mu.Lock()
	if p.life.Err() != nil || p.idle >= p.opt.MaxIdle || c.backend.removed {
		p.mu.Unlock()
		p.drop(c)
		return
	}
	c.backend.busy--
	c.since = time.Now()
	c.backend.idle = append(c.backend.idle, c)
	p.idle++
	if limit := timeout(p.opt.IdleTimeout, defaultPoolIdle); limit > 0 && p.sweeper == nil {
		p.sweeper = time.AfterFunc(limit, p.sweep)
	}
	p.mu.Unlock()
}

// sweep closes the connections that were idle for too long, and comes again when others
// may be.
func (p *Pool) sweep() {
	limit := timeout(p.opt.IdleTimeout, defaultPoolIdle)
	var old []*poolConn
	p.mu.Lock()
	if p.life.Err() == nil {
		wait := time.Duration(-1)
		for _, b := range p.backends {
			n := 0
			for n < len(b.idle) && time.Since(b.idle[n].since) >= limit {
				delete(p.conns, b.idle[n])
				n++
			}
			old = append(old, b.idle[:n]...)
			b.idle = slices.Delete(b.idle, 0, n)
			p.idle -= n
			if len(b.idle) > 0 {
				if left := limit - time.Since(b.idle[0].since); wait < 0 || left < wait {
					wait = max(left, 0)
				}
			}
		}
		p.sweeper = nil
		if wait >= 0 {
			p.sweeper = time.AfterFunc(wait, p.sweep)
		}
	}
	p.mu.Unlock()
	for _, c := range old {
		_ = c.client.Close()
	}
}
