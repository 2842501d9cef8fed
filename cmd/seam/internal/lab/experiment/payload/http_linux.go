package payload

import (
	"context"
	"errors"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

const (
	busyLinks   = 4 // at saturation
	steadyLinks = 8
	perSecond   = 10_000
)

// slice is how long one server is asked before the next, and turns how often each gets
// its turn. Slices are short, so that other load on the machine hits the servers that are
// compared alike.
func slice(mode lab.Mode) time.Duration {
	return lab.InQuick(mode, 10*time.Millisecond, 25*time.Millisecond)
}

func turns(mode lab.Mode) int {
	return lab.ByMode(mode, 2, 4, 20)
}

// A seat is a case behind its server.
type seat struct {
	kind
	loadCPU int  // of those who ask; -1: any
	control bool // the second seat of the case that losses are counted from
	worker  *worker
	links   []*link
	ask     request
}

func (s *seat) close() {
	for _, l := range s.links {
		l.close()
	}
	s.worker.leave()
}

// probeHTTP has the servers answer in turns.
func probeHTTP(ctx context.Context, b *lab.Bench, bytes int) ([]lab.Metric, error) {
	var seats []*seat
	defer func() {
		for _, s := range seats {
			s.close()
		}
	}()
	for _, k := range served(b.Mode, bytes) {
		s, err := sit(ctx, b, bytes, k)
		var nm *lab.NotMeasured
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &nm):
			continue // its timed case says why
		case err != nil: // not permanent: better no comparison than one of some
			return nil, err
		}
		seats = append(seats, s)
		if k == (kind{libStd, viaGo}) {
			twin, err := sit(ctx, b, bytes, k)
			if err != nil {
				return nil, err
			}
			twin.control = true
			seats = append(seats, twin)
		}
	}
	if len(seats) == 0 {
		return nil, lab.Skip("there is no server to ask: the cases above say why")
	}
	var list []lab.Metric
	order := make([]int, len(seats))
	for i := range order {
		order[i] = i
	}
	for turn := range turns(b.Mode) + 1 {
		b.Rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			found, err := seats[i].look(bytes, slice(b.Mode), seats)
			if err != nil {
				return nil, err
			}
			if turn > 0 { // the first warms all of them up
				list = append(list, found...)
			}
		}
	}
	return list, nil
}

// bases are the servers in pure Go that the others are compared with.
var bases = []struct{ lib, unit string }{{libStd, unitLoss}, {libGo, unitLossBest}}

// against is what s loses in rate against a base. The base is asked before and after it:
// a machine with neighbours may run at another speed a moment later.
func (s *seat) against(base *seat, bytes int, unit string, long time.Duration) (lab.Metric, error) {
	var rates [3]float64
	for i, asked := range []*seat{base, s, base} {
		busy, err := saturate(asked.links[:busyLinks], asked.loadCPU, asked.ask, long)
		if err != nil {
			return lab.Metric{}, err
		}
		rates[i] = busy.rate()
	}
	m := lab.Metric{Unit: unit, Value: 100 * (1 - 2*rates[1]/(rates[0]+rates[2]))}
	if s.control {
		m.Name, m.Label = controlName(bytes), labels[libStd]+": loss of rate against itself"
	} else {
		m.Name = loadName(bytes, s.lib, s.via, saturation)
		m.Label = label(s.lib, s.via) + ": loss of rate against " + labels[base.lib]
	}
	return m, nil
}

// losses are those against all bases but itself.
func (s *seat) losses(bytes int, long time.Duration, seats []*seat) (list []lab.Metric, err error) {
	for _, base := range bases {
		for _, other := range seats {
			if other.kind != (kind{base.lib, viaGo}) || other.control || other == s || s.control && base.unit != unitLoss {
				continue
			}
			m, err := s.against(other, bytes, base.unit, long)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// sit connects to the server of a case, whose answer has been checked by its program.
func sit(ctx context.Context, b *lab.Bench, bytes int, k kind) (*seat, error) {
	w, err := hire(ctx, b, k.lib)
	if err != nil {
		return nil, err
	}
	s := &seat{kind: k, worker: w, loadCPU: -1}
	right, err := w.ask(order{Do: "answer", Bytes: bytes, Via: k.via})
	if err == nil {
		var server answer
		server, err = w.ask(order{Do: "serve"})
		// A CPU for the server and one for the load: where the kernel moves both around,
		// the number of requests depends on who wakes whom where.
		if serverCPU, loadCPU, few := subprocess.TwoCPUs(); few == nil && err == nil && subprocess.PinProcess(w.child.PID(), serverCPU) == nil {
			s.loadCPU = loadCPU
		}
		for err == nil && len(s.links) < max(busyLinks, steadyLinks) {
			var l *link
			if l, err = connect(server.Port); err == nil {
				s.links = append(s.links, l)
			}
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.ask = post(k.via, right.Message, right.Output)
	return s, nil
}

// look asks one server at saturation, beside others and alone, and at the fixed rate.
func (s *seat) look(bytes int, long time.Duration, seats []*seat) ([]lab.Metric, error) {
	list, err := s.losses(bytes, long, seats)
	if err != nil || s.control {
		return list, err
	}
	add := func(load, unit string, value float64, what string) {
		list = append(list, lab.Metric{Name: loadName(bytes, s.lib, s.via, load), Unit: unit, Value: value, Label: label(s.lib, s.via) + ": " + what})
	}
	before, err := s.worker.took(order{Do: "usage"})
	if err != nil {
		return nil, err
	}
	busy, err := saturate(s.links[:busyLinks], s.loadCPU, s.ask, long)
	if err != nil {
		return nil, err
	}
	after, err := s.worker.took(order{Do: "usage"})
	if err != nil {
		return nil, err
	}
	add(saturation, unitRate, busy.rate(), "requests at saturation")
	add(saturation, unitMedian, subprocess.Quantile(busy.latency, 0.5), "latency at saturation")
	add(saturation, unitTail, subprocess.Quantile(busy.latency, 0.99), "latency at saturation (p99)")
	add(saturation, unitCPU, float64(after-before)/float64(len(busy.latency)), "the server's CPU time of a request")

	even, err := steady(s.links, s.loadCPU, s.ask, perSecond, long)
	if err != nil {
		return nil, err
	}
	add(fixedRate, unitRate, even.rate(), "requests where 10,000 a second are asked for")
	add(fixedRate, unitMedian, subprocess.Quantile(even.latency, 0.5), "latency at 10,000 a second")
	add(fixedRate, unitTail, subprocess.Quantile(even.latency, 0.99), "latency at 10,000 a second (p99)")
	return list, nil
}
