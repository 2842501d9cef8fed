package report

const (
	spans     = 240
	firstStep = 100_000 // nanoseconds
)

// A timeline counts by steps of time, which double as the run gets longer. The Live of
// its spans is what was added in them.
type timeline struct {
	begin int64
	begun bool
	step  int64
	spans []Span
}

// at returns the span of a time. It is valid until at is called again.
func (t *timeline) at(time int64) *Span {
	if !t.begun {
		t.begin, t.begun, t.step = time, true, firstStep
	}
	// Threads write what they have held when it is complete, so time may go back a bit.
	since := max(time-t.begin, 0)
	for since/t.step >= spans {
		t.fold()
	}
	i := int(since / t.step)
	for len(t.spans) <= i {
		t.spans = append(t.spans, Span{})
	}
	return &t.spans[i]
}

// fold makes spans of twice the length.
func (t *timeline) fold() {
	n := 0
	for i := 0; i < len(t.spans); i += 2 {
		s := t.spans[i]
		if i+1 < len(t.spans) {
			next := t.spans[i+1]
			s = Span{
				New: s.New + next.New, Grown: s.Grown + next.Grown, Shrunk: s.Shrunk + next.Shrunk,
				Copied: s.Copied + next.Copied, Time: s.Time + next.Time, Live: s.Live + next.Live,
				Largest: max(s.Largest, next.Largest),
			}
		}
		t.spans[n] = s
		n++
	}
	t.spans = t.spans[:n]
	t.step *= 2
}

// end takes away the stacks of a process that has ended, from the span after its last
// event on, if there is one.
func (t *timeline) end(time, live int64) {
	if !t.begun {
		return
	}
	if i := max(time-t.begin, 0)/t.step + 1; i < int64(len(t.spans)) {
		t.spans[i].Live -= live
	}
}

// report returns the timeline with what was live at the end of each span.
func (t *timeline) report() Timeline {
	out := Timeline{Step: t.step, Spans: make([]Span, len(t.spans))}
	var live int64
	for i, s := range t.spans {
		live += s.Live
		s.Live = max(live, 0)
		s.New = max(s.New, 0)
		out.Spans[i] = s
	}
	return out
}
