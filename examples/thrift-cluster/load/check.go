package load

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seamgo/seam/examples/thrift-cluster/journal"
	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
)

// A Count is how many orders had which outcome.
type Count struct {
	Acknowledged int
	Refused      int // nobody got them
	Done         int // of those without an answer: they are in a journal
	NotDone      int // they are in none
}

// Check compares every order that was placed with the journals of all servers. It is an
// error if one that was acknowledged is in none, if one is there twice, if one is there
// that could not be sent, and if one is there that nobody has placed. Other loads' orders
// are not its concern.
func (l *Load) Check(journals []string) (Count, error) {
	found := map[string]int{}
	for _, path := range journals {
		if err := journal.Read(path, func(o *orders.Order) {
			if strings.HasPrefix(o.Request, l.name+"-") {
				found[o.Request]++
			}
		}); err != nil {
			return Count{}, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return compare(l.requests, found)
}

func compare(requests map[string]Outcome, found map[string]int) (c Count, err error) {
	var wrong []error
	complain := func(request, what string) {
		if len(wrong) < 10 {
			wrong = append(wrong, fmt.Errorf("order %s %s", request, what))
		}
	}
	for request, outcome := range requests {
		n := found[request]
		if n > 1 {
			complain(request, fmt.Sprintf("is there %d times", n))
		}
		switch {
		case outcome == Acknowledged:
			c.Acknowledged++
			if n == 0 {
				complain(request, "was acknowledged and is lost")
			}
		case outcome == Refused:
			c.Refused++
			if n > 0 {
				complain(request, "could not be sent and is there")
			}
		case n > 0:
			c.Done++
		default:
			c.NotDone++
		}
	}
	for request := range found {
		if _, ok := requests[request]; !ok {
			complain(request, "is there, and nobody has placed it")
		}
	}
	return c, errors.Join(wrong...)
}
