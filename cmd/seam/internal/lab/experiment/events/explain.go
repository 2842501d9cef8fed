package events

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func explain(e *result.Experiment) {
	refer(e)
	f := analysis{lab.Analysis{Experiment: e}}
	f.Say(f.best(), f.rates(), f.alone())
	f.Note(f.lost(), f.latencyNote(), f.switchesNote(), f.contentionNote())
	f.charts()
}

type analysis struct{ lab.Analysis }

// each lists what was measured of all servers, or "" if that is fewer than two.
func (f analysis) each(of func(via string) string, unit string, write func(float64) string) string {
	var told []string
	for _, via := range vias {
		if v, ok := f.Median(of(via), unit); ok {
			told = append(told, labels[via]+" "+write(v))
		}
	}
	if len(told) < 2 {
		return ""
	}
	return strings.Join(told, ", ")
}

func (f analysis) rates() string {
	told := f.each(name, unitRate, quantity.Number)
	if told == "" {
		return ""
	}
	text := fmt.Sprintf("Requests a second with %d in flight: %s.", inflight, told)
	limit, ok := f.Median(name(viaLoop), unitRate)
	coro, ok2 := f.Median(name(viaCoro), unitRate)
	if ok && ok2 && limit > 0 {
		text += fmt.Sprintf(" Blocking C code on coroutines serves %.0f %% of what an event loop in C alone does.", 100*coro/limit)
		if loop, ok := f.Median(name(viaCoroLoop), unitRate); ok {
			text += fmt.Sprintf(" The same loop as one coroutine, with Go for the answers: %.0f %%.", 100*loop/limit)
		}
	}
	return text
}

func (f analysis) alone() string {
	told := f.each(aloneName, unitMedian, quantity.Time)
	if told == "" {
		return ""
	}
	text := fmt.Sprintf("Latency with one request at a time: %s.", told)
	callback, ok := f.Median(aloneName(viaCallback), unitMedian)
	limit, ok2 := f.Median(aloneName(viaLoop), unitMedian)
	poller, ok3 := f.Median(aloneName(viaNetpoll), unitMedian)
	if ok && ok2 && ok3 && poller > callback {
		text += fmt.Sprintf(" A callback adds %s to the C loop, a wake-up through Go's poller %s: threads that sleep must be woken.",
			quantity.Time(max(0, callback-limit)), quantity.Time(max(0, poller-limit)))
	}
	return text
}

// measures are what servers are judged by.
var measures = []struct {
	of         func(via string) string
	unit       string
	what, best string
	write      func(float64) string
	more       bool // is better
}{
	{name, unitRate, "requests a second", "the most requests a second", quantity.Number, true},
	{name, unitCPU, "CPU time of a request", "the least CPU time for a request", quantity.Time, false},
	{aloneName, unitMedian, "latency of a single request", "the least latency of a single request", quantity.Time, false},
}

// best says which of the servers with Go code leads in what, or which ones if
// their intervals overlap.
func (f analysis) best() string {
	var told []string
	for _, m := range measures {
		var first *result.Series
		known := map[string]*result.Series{}
		for _, via := range vias {
			s := f.Find(m.of(via), m.unit)
			if s == nil || via == viaLoop { // no Go
				continue
			}
			known[via] = s
			if first == nil || m.more && s.Median > first.Median || !m.more && s.Median < first.Median {
				first = s
			}
		}
		if len(known) < 2 {
			continue
		}
		var ahead []string
		for _, via := range vias {
			if s := known[via]; s != nil && s.Lo <= first.Hi && first.Lo <= s.Hi {
				ahead = append(ahead, labels[via])
			}
		}
		told = append(told, fmt.Sprintf("%s: %s (%s)", m.best, strings.Join(ahead, " or "), m.write(first.Median)))
	}
	return lab.Sentence("Of the servers with Go code in them, ", told, "; ", ".")
}

// lost says where the coroutines are behind the other ways to join C and Go.
func (f analysis) lost() string {
	var where []string
	for _, m := range measures {
		coro := f.Find(m.of(viaCoro), m.unit)
		if coro == nil {
			continue
		}
		var to []string
		for _, via := range []string{viaCallback, viaEventfd} {
			s := f.Find(m.of(via), m.unit)
			if s == nil {
				continue
			}
			if less, more := coro.Hi < s.Lo && coro.Median < 0.95*s.Median, coro.Lo > s.Hi && coro.Median > 1.05*s.Median; m.more && less || !m.more && more {
				to = append(to, fmt.Sprintf("%s (%s)", labels[via], m.write(s.Median)))
			}
		}
		if len(to) > 0 {
			where = append(where, fmt.Sprintf("%s, %s, to %s", m.what, m.write(coro.Median), strings.Join(to, " and ")))
		}
	}
	return lab.Sentence("Coroutines lose in ", where, "; ", ". In return the C code may block wherever it likes, and needs no loop and no thread of its own.")
}

func (f analysis) latencyNote() string {
	before, ok := f.Median(aloneName(viaCallback), unitMedian)
	after, ok2 := f.Median(aloneName(viaCoroLoop), unitMedian)
	if !ok || !ok2 {
		return ""
	}
	text := fmt.Sprintf("The published server's latency fell from %s to %s when epoll_wait was joined to Go's poller (%s); here it goes from %s with callbacks to %s with the loop as a coroutine",
		quantity.Time(reference.LatencyBefore.Value), quantity.Time(reference.LatencyAfter.Value), reference.MixedCalls.Setting(), quantity.Time(before), quantity.Time(after))
	if after >= before {
		text += ", so there is no gain: a callback runs on the very thread that epoll_wait has woken, while the poller may have to wake one more. " +
			"The published server's callbacks contended for locks, those of this one do not"
	}
	return text + "."
}

func (f analysis) switchesNote() string {
	before, ok := f.Median(name(viaCallback), unitSwitches)
	after, ok2 := f.Median(name(viaCoroLoop), unitSwitches)
	rate, ok3 := f.Median(name(viaCallback), unitRate)
	rateAfter, ok4 := f.Median(name(viaCoroLoop), unitRate)
	if !ok || !ok2 || !ok3 || !ok4 || rate == 0 || rateAfter == 0 {
		return ""
	}
	return fmt.Sprintf("The published server made %s context switches a second before and %s after, at a load that was not published. "+
		"Here it is %s and %s, or %s and %s for a thousand requests: they are waits for work, and a busier server waits less.",
		quantity.Number(reference.SwitchesBefore.Value), quantity.Number(reference.SwitchesAfter.Value),
		quantity.Number(before), quantity.Number(after), quantity.Number(1000*before/rate), quantity.Number(1000*after/rateAfter))
}

func (f analysis) contentionNote() string {
	told := f.each(name, unitContention, quantity.Number)
	if told == "" {
		return ""
	}
	return fmt.Sprintf("The published server contended for locks %s times a second before and never after. Here: %s. Locks of C code, such as that of the queue of %s, are not counted.",
		quantity.Number(reference.ContentionBefore.Value), told, labels[viaEventfd])
}
