// Package shop is the handler of the service: what it does is the same wherever it runs.
package shop

import (
	"context"
	"fmt"
	"sync"

	"github.com/seamgo/seam/examples/thrift-cluster/engine"
	"github.com/seamgo/seam/examples/thrift-cluster/journal"
	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
)

// users is how many the engine remembers.
const users = 1 << 16

// A Shop takes orders. It is the handler of orders.Orders, which servers call from many
// goroutines.
type Shop struct {
	engine  *engine.Engine
	journal *journal.Journal

	mu      sync.RWMutex
	of      map[string][]*orders.Order // they don't change; the one with id n at n-1
	orders  int64
	refused int64
}

var _ orders.Orders = (*Shop)(nil)

// Open opens the shop whose journal is at path. The orders in it warm the engine up:
// when Open returns the shop knows its users.
func Open(path string) (*Shop, error) {
	e, err := engine.New(users)
	if err != nil {
		return nil, err
	}
	s := &Shop{engine: e, of: map[string][]*orders.Order{}}
	s.journal, err = journal.Open(path, func(o *orders.Order) {
		e.Score(o.User, amount(o.Lines))
		s.add(o)
	})
	if err != nil {
		e.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the shop. Nobody may call it any more.
func (s *Shop) Close() error {
	s.engine.Close()
	return s.journal.Close()
}

// Engine returns the engine's figures.
func (s *Shop) Engine() engine.Stats { return s.engine.Stats() }

// Place scores an order, writes it down and acknowledges it.
func (s *Shop) Place(_ context.Context, user, request string, lines []*orders.Line) (*orders.Order, error) {
	var bad []string
	for _, l := range lines {
		if l.Quantity <= 0 || l.Price < 0 {
			bad = append(bad, l.Article)
		}
	}
	switch {
	case user == "" || request == "":
		return nil, fmt.Errorf("user is %q and request %q: neither may be empty", user, request)
	case len(lines) == 0:
		return nil, s.refuse("there is nothing in it")
	case len(bad) > 0:
		return nil, s.refuse("no such quantity or price", bad...)
	}
	o := &orders.Order{User: user, Request: request, Lines: lines, Score: s.engine.Score(user, amount(lines))}
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Id = int64(len(s.of[user])) + 1
	if err := s.journal.Append(o); err != nil {
		return nil, err
	}
	s.add(o)
	return o, nil
}

// Get finds an order.
func (s *Shop) Get(_ context.Context, user string, id int64) (*orders.Order, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if list := s.of[user]; id >= 1 && id <= int64(len(list)) {
		return list[id-1], nil
	}
	return nil, &orders.Missing{Id: id}
}

// Of lists a user's orders.
func (s *Shop) Of(_ context.Context, user string) ([]*orders.Order, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if list := s.of[user]; list != nil {
		return list, nil // it only grows: what is in this slice stays as it is
	}
	return []*orders.Order{}, nil // nil is no answer in Kitex
}

// Counters counts.
func (s *Shop) Counters(context.Context) (map[string]int64, error) {
	e := s.engine.Stats()
	s.mu.RLock()
	defer s.mu.RUnlock()
	return map[string]int64{"orders": s.orders, "refused": s.refused, "users": int64(len(s.of)), "scored": int64(e.Calls)}, nil
}

// add remembers an order. s.mu is held, or nobody else knows s.
func (s *Shop) add(o *orders.Order) {
	s.of[o.User] = append(s.of[o.User], o)
	s.orders++
}

func (s *Shop) refuse(why string, articles ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused++
	return &orders.Refused{Reason: why, Articles: articles}
}

func amount(lines []*orders.Line) (sum float64) {
	for _, l := range lines {
		sum += float64(l.Quantity) * float64(l.Price)
	}
	return sum
}
