package payload

import "time"

// A clock is the time, from any beginning.
type clock interface {
	now() time.Duration
	until(t time.Duration) // returns at t, or at once when it is later
}

// A schedule is when requests should be sent: requests of them, one every interval from
// start on. A sender takes every step-th.
type schedule struct {
	start, interval time.Duration
	requests, step  int
	give            time.Duration // when to give up
}

// A record is what a sender noted.
type record struct {
	latency []float64 // ns, of requests that were answered
	unsent  int       // requests that there was no time for
	end     time.Duration
}

// pace sends the requests first, first+step, … at their times, or as soon as the ones
// before are answered. A latency counts from when a request should have been sent: what
// waits because an answer is late is late itself, and is not left out. One is always sent:
// a sender that had no processor for so long has something to tell.
func (s schedule) pace(c clock, first int, send func() error) (record, error) {
	r := record{latency: make([]float64, 0, s.requests/s.step+1), end: s.start}
	for i := first; i < s.requests; i += s.step {
		due := s.start + time.Duration(i)*s.interval
		if len(r.latency) > 0 && c.now() >= s.give {
			r.unsent++
			continue
		}
		c.until(due)
		if err := send(); err != nil {
			return r, err
		}
		r.end = c.now()
		r.latency = append(r.latency, float64(r.end-due))
	}
	return r, nil
}

// flood sends one request after the other until the end, and one at least.
func flood(c clock, end time.Duration, send func() error) (record, error) {
	r := record{latency: make([]float64, 0, 1024)}
	r.end = c.now()
	for len(r.latency) == 0 || r.end < end {
		from := r.end
		if err := send(); err != nil {
			return r, err
		}
		r.end = c.now()
		r.latency = append(r.latency, float64(r.end-from))
	}
	return r, nil
}
