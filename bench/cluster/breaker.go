package cluster

// slots are those that a window has: what is older than the window is forgotten slot by slot.
const slots = 100

// A breaker is a client's for a server.
type breaker struct {
	good, bad [slots]int
	sums      [2]int // of the slots: good, bad
	slot      int    // counts slots since the beginning; where the newest is

	open     bool
	since    Time // when it opened, or let the last call through
	trying   bool // it has cooled down
	answered int  // in a row, since then
}

func (x *server) hangs() bool { return x.hung%2 == 1 }

// of is the breaker of a client for a server, or nil if there are none.
func (s *simulation) of(client int, x *server) *breaker {
	if s.Breaker.Samples == 0 {
		return nil
	}
	key := [2]int{client, x.id}
	b, ok := s.breaker[key]
	if !ok {
		b = new(breaker)
		s.breaker[key] = b
	}
	return b
}

// allowed reports whether a client may send a call to a server.
func (s *simulation) allowed(client int, x *server) bool {
	b := s.of(client, x)
	if b == nil || !b.open {
		return true
	}
	wait := s.Breaker.Cooling
	if b.trying {
		wait = s.Breaker.Detect
	}
	if s.now < b.since+wait {
		return false
	}
	if !b.trying {
		b.trying, b.answered = true, 0
	}
	b.since = s.now
	return true
}

// tell tells a client's breaker what came of a call.
func (s *simulation) tell(client int, x *server, good bool) {
	b := s.of(client, x)
	switch {
	case b == nil:
	case b.open && !b.trying: // of a call that was under way
	case b.open && good:
		if b.answered++; b.answered >= s.Breaker.Successes {
			*b = breaker{slot: b.slot}
		}
	case b.open:
		b.trying, b.since = false, s.now
	default:
		b.note(int(s.now/(s.Breaker.Window/slots)), good)
		if n := b.sums[0] + b.sums[1]; !good && n >= s.Breaker.Samples && float64(b.sums[1]) >= s.Breaker.Share*float64(n) {
			b.open, b.since = true, s.now
		}
	}
}

// note counts a call in a slot, and forgets what is too old.
func (b *breaker) note(slot int, good bool) {
	for n := 0; b.slot < slot && n < slots; n++ {
		b.slot++
		i := b.slot % slots
		b.sums[0] -= b.good[i]
		b.sums[1] -= b.bad[i]
		b.good[i], b.bad[i] = 0, 0
	}
	b.slot = slot
	if good {
		b.good[slot%slots]++
		b.sums[0]++
	} else {
		b.bad[slot%slots]++
		b.sums[1]++
	}
}
