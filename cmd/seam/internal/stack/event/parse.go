package event

// What stack.go prints, changed so that the line is one: in stamped logs newlines within
// an event are spaces.
const (
	newstackText = "runtime: newstack sp="
	morebufText  = "\tmorebuf={pc:"
	schedText    = "\tsched={pc:"
	exceedsText  = "runtime: goroutine stack exceeds "
)

const (
	leastStack   = 1024    // 2048 on today's Linux
	largestStack = 1 << 31 // the runtime allocates them by an uint32
	largestOrder = 7       // today's is 3

	largestNumber = 1 << 58 // of nanoseconds: nine years

	mostCalls = 64 // today 32
)

// plausible reports whether a stack can have this size.
func plausible(size int64) bool {
	return size >= leastStack && size <= largestStack && size&(size-1) == 0
}

// start reports whether a stack can begin here.
func start(addr uint64) bool { return addr != 0 && addr%leastStack == 0 }

// area reports whether this can be a stack with something in it.
func area(lo, sp, hi uint64) bool {
	return start(lo) && hi > lo && plausible(int64(hi-lo)) && sp >= lo && sp <= hi
}

// parse reads what an event's line has after its stamp. stamped tells that newstack is on
// one line, and that goroutines are told. What can't be is no event. A start line's version is left to the
// caller.
func (e *Event) parse(text []byte, stamped bool, version *[]byte) bool {
	c := cursor{text: text}
	if len(text) < 10 {
		return false
	}
	switch text[0] {
	case ' ':
		e.Kind = Allocated
		return c.is("  allocated ") && c.hex(&e.Lo) && c.end() && start(e.Lo)
	case 'c':
		e.Kind = Copy
		return c.is("copystack gp=") && c.hex(&e.GP) &&
			c.is(" [") && c.hex(&e.Lo) && c.is(" ") && c.hex(&e.SP) && c.is(" ") && c.hex(&e.Hi) &&
			c.is("] -> [") && c.hex(&e.NewLo) && c.is(" ") && c.hex(&e.NewSP) && c.is(" ") && c.hex(&e.NewHi) &&
			c.is("]/") && c.dec(&e.Size) && (!stamped || e.goroutine(&c)) && c.end() && e.copies()
	case 'r':
		if c.is(exceedsText) {
			e.Kind = Exceeded
			return c.dec(&e.Size) && c.is("-byte limit") && c.end() && e.Size > 0
		}
		// In a plain log it is three lines.
		e.Kind = NewStack
		return stamped && e.newstack(&c) && c.is(" ") && e.morebuf(&c) && c.is(" ") && e.sched(&c) &&
			e.goroutine(&c) && (c.end() || e.callers(&c))
	}
	switch {
	case c.is("stackalloc "):
		e.Kind = Alloc
		return c.dec(&e.Size) && c.end() && plausible(e.Size)
	case c.is("stackfree "):
		e.Kind = Free
		return c.hex(&e.Lo) && c.is(" ") && c.dec(&e.Size) && c.end() && start(e.Lo) && plausible(e.Size)
	case c.is("stack grow done"):
		e.Kind = GrowDone
		return c.end()
	case c.is("stackcacherefill order="):
		e.Kind = Refill
		return e.order(&c)
	case c.is("stackcacherelease order="):
		e.Kind = Release
		return e.order(&c)
	case c.is("stackcache clear"):
		e.Kind = CacheClear
		return c.end()
	case c.is("shrinking stack "):
		e.Kind = Shrink
		return c.dec(&e.From) && c.is("->") && c.dec(&e.Size) && c.end() &&
			plausible(e.From) && plausible(e.Size) && e.Size < e.From
	case !stamped:
		return false
	case c.is("settings procs="):
		e.Kind = Settings
		return c.int(&e.Procs) && c.is(" start=") && c.dec(&e.Size) && c.is(" lost=") && c.dec(&e.Lost) &&
			c.end() && plausible(e.Size) && e.Lost < largestNumber
	case c.is("start version="):
		e.Kind = Start
		*version = c.until(" text=")
		return c.is(" text=") && c.hex(&e.Text) && c.is(" etext=") && c.hex(&e.Etext) &&
			c.is(" guard=") && c.dec(&e.Guard) && c.is(" build=") && c.hex(&e.Build) && c.end() && e.Etext >= e.Text && e.Guard <= largestStack
	}
	return false
}

// int reads a number that fits into 31 bits.
func (c *cursor) int(v *int) bool {
	var n int64
	ok := c.dec(&n) && n < 1<<31
	*v = int(n)
	return ok
}

func (e *Event) order(c *cursor) bool {
	return c.int(&e.Order) && c.end() && e.Order <= largestOrder
}

// newstack, morebuf and sched are the three lines of a newstack.
func (e *Event) newstack(c *cursor) bool {
	return c.is(newstackText) && c.hex(&e.SP) && c.is(" stack=[") && c.hex(&e.Lo) && c.is(", ") && c.hex(&e.Hi) &&
		c.is("]") && area(e.Lo, e.SP, e.Hi)
}

func (e *Event) morebuf(c *cursor) bool {
	var lr uint64
	return c.is(morebufText) && c.hex(&e.MorePC) && c.is(" sp:") && c.hex(&e.MoreSP) && c.is(" lr:") && c.hex(&lr) && c.is("}")
}

func (e *Event) sched(c *cursor) bool {
	var lr, ctxt uint64
	return c.is(schedText) && c.hex(&e.SchedPC) && c.is(" sp:") && c.hex(&e.SchedSP) && c.is(" lr:") && c.hex(&lr) &&
		c.is(" ctxt:") && c.hex(&ctxt) && c.is("}")
}

// goroutine reads what package overlay adds.
func (e *Event) goroutine(c *cursor) bool {
	var id int64
	ok := c.is("  goid=") && c.dec(&id) && c.is(" entry=") && c.hex(&e.Entry) && c.is(" go=") && c.hex(&e.Go)
	e.GoID = uint64(id)
	return ok
}

// callers reads the calls on a stack.
func (e *Event) callers(c *cursor) bool {
	if !c.is("  callers=") {
		return false
	}
	for !c.end() {
		var pc uint64
		if !c.is(" ") || !c.hex(&pc) || len(e.Calls) == mostCalls {
			return false
		}
		e.Calls = append(e.Calls, pc)
	}
	return true
}

// copies reports whether a copy's numbers agree: as much is in use in the new stack as in
// the old one, and it lies at the end of both.
func (e *Event) copies() bool {
	return e.GP != 0 && area(e.Lo, e.SP, e.Hi) && area(e.NewLo, e.NewSP, e.NewHi) &&
		int64(e.NewHi-e.NewLo) == e.Size && e.Hi-e.SP == e.NewHi-e.NewSP
}
