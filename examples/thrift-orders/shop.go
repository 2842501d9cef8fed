package main

import (
	"context"
	"sync"
	"time"

	"github.com/seamgo/seam/examples/thrift-orders/orders"
)

// A shop keeps orders in memory. It is the handler of the service: its methods
// are those of orders.Orders, which the server calls from many goroutines.
type shop struct {
	now func() time.Time

	mu      sync.Mutex
	orders  []*orders.Order // the one with id n at n-1
	refused int64
}

func newShop(now func() time.Time) *shop { return &shop{now: now} }

var _ orders.Orders = (*shop)(nil)

func (s *shop) Place(_ context.Context, customer string, lines []*orders.Line, note string) (*orders.Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var bad []string
	for _, line := range lines {
		if line.Quantity <= 0 || line.Price < 0 {
			bad = append(bad, line.Article)
		}
	}
	switch {
	case len(lines) == 0:
		return nil, s.refuse("there is nothing in it")
	case len(bad) > 0:
		return nil, s.refuse("no such quantity or price", bad...)
	}
	order := orders.NewOrder()
	order.ID = orders.OrderID(len(s.orders) + 1)
	order.Customer = customer
	order.Lines = lines // the arguments are the handler's to keep
	order.Created = s.now().Unix()
	if note != "" {
		order.Note = &note
	}
	s.orders = append(s.orders, order)
	return order.Clone(), nil // it is read after the lock is given up
}

func (s *shop) Get(_ context.Context, id orders.OrderID) (*orders.Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order, err := s.find(id)
	return order.Clone(), err
}

func (s *shop) Of(_ context.Context, customer string) ([]*orders.Order, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*orders.Order
	for _, order := range s.orders {
		if order.Customer == customer {
			list = append(list, order.Clone())
		}
	}
	return list, nil
}

func (s *shop) Cancel(_ context.Context, id orders.OrderID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	order, err := s.find(id)
	if err != nil {
		return err
	}
	if order.Status == orders.Status_PAID {
		return s.refuse("it is paid already")
	}
	order.Status = orders.Status_CANCELLED
	return nil
}

func (s *shop) Paid(_ context.Context, id orders.OrderID, amount int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	order, err := s.find(id)
	if err != nil {
		return err // into the server's log: the caller does not wait
	}
	for _, line := range order.Lines {
		amount -= int64(line.Quantity) * line.Price
	}
	if amount >= 0 {
		order.Status = orders.Status_PAID
	}
	return nil
}

func (s *shop) Counters(context.Context) (map[string]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]int64{"orders": int64(len(s.orders)), "refused": s.refused}, nil
}

// find finds an order. s.mu is held.
func (s *shop) find(id orders.OrderID) (*orders.Order, error) {
	if id < 1 || int64(id) > int64(len(s.orders)) {
		return nil, &orders.Missing{ID: id}
	}
	return s.orders[id-1], nil
}

// refuse counts and gives the exception. s.mu is held.
func (s *shop) refuse(why string, articles ...string) error {
	s.refused++
	return &orders.Refused{Reason: why, Articles: articles}
}
