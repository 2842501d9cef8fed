// Package load calls the service from many goroutines, notes what came of every call, and
// compares that with what the servers have in their journals.
package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
)

// An Outcome is what a caller knows about an order it wanted to place.
type Outcome int

// The outcomes.
const (
	Acknowledged Outcome = iota // it is in one journal
	Refused                     // it is in none, for nobody got it
	Unknown                     // it is in one or in none
)

// A Load is calls that go on.
type Load struct {
	client *place.Client
	users  int
	name   string // requests begin with it: others may call the same servers

	mu       sync.Mutex
	start    time.Time
	seconds  []*Second
	requests map[string]Outcome
	errors   map[string]int
	failed   time.Time // when the last call failed
}

// A Second is what has ended in a second.
type Second struct {
	Took   []time.Duration // of the calls that were answered
	Failed int
	Notes  []string
}

// New prepares calls about so many users.
func New(c *place.Client, users int) *Load {
	return &Load{client: c, users: users, name: fmt.Sprintf("%08x", rand.Uint32()), start: time.Now(),
		requests: map[string]Outcome{}, errors: map[string]int{}}
}

// Run has so many callers place and look for orders until the context is done.
func (l *Load) Run(ctx context.Context, callers int) {
	var all sync.WaitGroup
	for g := range callers {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if !l.one(fmt.Sprintf("%s-%d-%d", l.name, g, i)) {
					time.Sleep(10 * time.Millisecond) // as a program would that has got an error
				}
			}
		})
	}
	all.Wait()
}

// one places an order, and asks for it. A call that has begun is finished.
func (l *Load) one(request string) bool {
	ctx := context.Background()
	user := fmt.Sprintf("user %d", rand.IntN(l.users))
	lines := []*orders.Line{{Article: "pencil", Quantity: int32(1 + rand.IntN(9)), Price: 90}, {Article: "paper", Quantity: 1, Price: 450}}
	begin := time.Now()
	order, err := l.client.Place(ctx, user, request, lines)
	l.note(begin, request, err)
	if err != nil {
		return false
	}
	begin = time.Now()
	_, err = l.client.Get(ctx, user, order.Id)
	var missing *orders.Missing
	if errors.As(err, &missing) {
		err = nil // an answer: the order is on a server that the user has left
	}
	l.note(begin, "", err)
	return err == nil
}

// note notes what came of a call; request is that of an order.
func (l *Load) note(begin time.Time, request string, err error) {
	end := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.second(end)
	outcome := Acknowledged
	if err != nil {
		outcome = Unknown
		var gone *place.Unreachable
		if errors.As(err, &gone) && !gone.Sent {
			outcome = Refused
		}
		s.Failed++
		l.failed = end
		l.errors[err.Error()]++
	} else {
		s.Took = append(s.Took, end.Sub(begin))
	}
	if request != "" {
		l.requests[request] = outcome
	}
}

// Answered is how many calls were answered so far.
func (l *Load) Answered() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.seconds {
		n += len(s.Took)
	}
	return n
}

// Failed is how many were not.
func (l *Load) Failed() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.seconds {
		n += s.Failed
	}
	return n
}

// LastFailed is when a call failed last, or the zero time.
func (l *Load) LastFailed() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Note writes a line beside the current second.
func (l *Load) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.second(time.Now())
	s.Notes = append(s.Notes, text)
}

// second is the one that t is in. l.mu is held.
func (l *Load) second(t time.Time) *Second {
	n := int(t.Sub(l.start) / time.Second)
	for len(l.seconds) <= n {
		l.seconds = append(l.seconds, new(Second))
	}
	return l.seconds[n]
}

// Seconds returns the seconds; Run has ended.
func (l *Load) Seconds() []*Second { return l.seconds }

// Errors counts errors by their text; Run has ended.
func (l *Load) Errors() map[string]int { return l.errors }
