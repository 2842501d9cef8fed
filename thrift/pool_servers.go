package thrift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	defaultRefresh = 10 * time.Second
	askAgain       = time.Second // at the earliest, if no server can be reached
)

// resolve asks the resolver if that is due, and waits for its answer if no server is known.
func (p *Pool) resolve(ctx context.Context) error {
	if p.opt.Resolver == nil {
		return nil
	}
	p.mu.Lock()
	age := time.Since(p.asked)
	limit := timeout(p.opt.Refresh, defaultRefresh)
	if p.resolving == nil && p.life.Err() == nil && (len(p.backends) == 0 || limit > 0 && age >= limit || p.stale && age >= askAgain) {
		p.resolving, p.stale = make(chan struct{}), false
		go p.lookUp(p.resolving)
	}
	over, known := p.resolving, len(p.backends) > 0
	p.mu.Unlock()
	if known || over == nil {
		return nil // a closed pool's calls fail later
	}
	select {
	case <-over:
	case <-ctx.Done():
		return fmt.Errorf("waiting for the addresses of servers: %w", ctx.Err())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.backends) == 0 {
		return p.resolveErr
	}
	return nil
}

// lookUp asks the resolver.
func (p *Pool) lookUp(over chan struct{}) {
	ctx, cancel := p.life, context.CancelFunc(func() {})
	if limit := timeout(p.opt.DialTimeout, defaultDialTimeout); limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	addresses, err := p.opt.Resolver.Resolve(ctx)
	if err == nil && len(addresses) == 0 {
		err = errors.New("thrift: the resolver knows no server (PoolOptions.Resolver)")
	}
	var old []*poolConn
	p.mu.Lock()
	p.asked, p.resolveErr, p.resolving = time.Now(), err, nil
	if err == nil && p.life.Err() == nil {
		old = p.setServers(addresses)
	}
	close(over)
	p.mu.Unlock()
	for _, c := range old {
		_ = c.client.Close()
	}
}

// setServers makes the pool's servers those at the addresses, and returns the idle connections to
// others. Calls that others have are answered. p.mu is held.
func (p *Pool) setServers(addresses []string) (old []*poolConn) {
	var list []*backend
	for _, address := range addresses {
		same := func(b *backend) bool { return b.address == address }
		if slices.ContainsFunc(list, same) {
			continue
		}
		if i := slices.IndexFunc(p.backends, same); i >= 0 {
			list = append(list, p.backends[i])
		} else {
			list = append(list, &backend{address: address})
		}
	}
	for _, b := range p.backends {
		if slices.Contains(list, b) {
			continue
		}
		b.removed = true
		for _, c := range b.idle {
			delete(p.conns, c)
		}
		p.idle -= len(b.idle)
		old = append(old, b.idle...)
		b.idle = nil
	}
	p.backends = list
	return old
}

// balance has the balancer choose a server. Like choose it returns nil if all have failed.
func (p *Pool) balance(failed []*backend, function string, args Body) (*backend, error) {
	var candidates []Candidate
	var of []*backend
	now := time.Now()
	p.mu.Lock()
	for _, reachable := range []bool{true, false} {
		for _, b := range p.backends {
			if !slices.Contains(failed, b) && b.out(now) != reachable {
				candidates, of = append(candidates, Candidate{b.address, b.busy}), append(of, b)
			}
		}
		if len(candidates) > 0 {
			break
		}
	}
	p.mu.Unlock()
	if len(candidates) == 0 {
		return nil, nil
	}
	i := p.opt.Balancer.Pick(function, args, candidates)
	if i < 0 || i >= len(candidates) {
		return nil, fmt.Errorf("thrift: the balancer picked candidate %d of %d (PoolOptions.Balancer)", i, len(candidates))
	}
	return of[i], nil
}

// PoolStats are figures of a [Pool]. For expvar, publish expvar.Func(func() any { return pool.Stats() }).
type PoolStats struct {
	Conns    int               `json:"conns"`     // connections that are open
	Idle     int               `json:"idle"`      // of them, those without a call
	Dialing  int               `json:"dialing"`   // connections that are being made
	InFlight int               `json:"in_flight"` // calls under way
	Waiting  int64             `json:"waiting"`   // calls that wait for their turn (MaxConns)
	Calls    int64             `json:"calls"`     // so far
	Made     int64             `json:"made"`      // connections so far
	Lost     int64             `json:"lost"`      // of them, those that a call has made unusable: it failed, or was given up
	Replaced int64             `json:"replaced"`  // and those that the server had ended, or said it would
	Again    int64             `json:"again"`     // calls that were sent again, since the server had surely read nothing of them
	Servers  []PoolServerStats `json:"servers"`
	Resolved string            `json:"resolved,omitempty"` // why PoolOptions.Resolver has failed when it was asked last
}

// PoolServerStats are figures of a [Pool] about one of its servers.
type PoolServerStats struct {
	Address  string `json:"address"`
	Calls    int    `json:"calls"`    // under way, with attempts to connect
	Idle     int    `json:"idle"`     // connections without a call
	Failures int    `json:"failures"` // attempts to connect that have failed, since one hasn't
	Out      bool   `json:"out"`      // it is left out, if there are others
}

// Stats returns the figures of this moment.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := PoolStats{
		Conns: len(p.conns), Idle: p.idle, Dialing: p.dialing, InFlight: len(p.turns),
		Waiting: p.counts.waiting.Load(), Calls: p.counts.calls.Load(), Made: p.counts.made.Load(),
		Lost: p.counts.lost.Load(), Replaced: p.counts.replaced.Load(), Again: p.counts.again.Load(),
	}
	if p.resolveErr != nil {
		s.Resolved = p.resolveErr.Error()
	}
	now := time.Now()
	for _, b := range p.backends {
		s.Servers = append(s.Servers, PoolServerStats{b.address, b.busy, len(b.idle), b.failures, b.out(now)})
	}
	return s
}
