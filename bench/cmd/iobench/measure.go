//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/seamgo/seam/bench/internal/atomicfile"
	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/paired"
)

// A measurement is one run of iobench.
type measurement struct {
	options
	host   string
	port   int
	stderr command.Screen
	series []*series
}

// A series is the results of a mode with a number of connections, one for each
// round.
type series struct {
	n      int
	mode   string
	rounds []loadResult
}

// gets measures GET in all modes with all numbers of connections.
func (m *measurement) gets(ctx context.Context, stdout io.Writer) error {
	defer m.stderr.Say("")
	for _, n := range m.counts {
		for _, mode := range m.modes {
			m.series = append(m.series, &series{n: n, mode: mode})
		}
	}
	for round := range m.rounds {
		for i := range m.counts {
			group := m.series[i*len(m.modes):][:len(m.modes)]
			for _, j := range rand.Perm(len(group)) {
				s := group[j]
				m.stderr.Say("round %d of %d: %d connections, %s", round+1, m.rounds, s.n, s.mode)
				r, err := m.load(ctx, s.mode, s.n)
				if err != nil {
					return err
				}
				s.rounds = append(s.rounds, r)
			}
		}
	}
	if m.out != "" {
		if err := atomicfile.Write(m.out, m.writeBenchfmt); err != nil {
			return err
		}
	}
	m.stderr.Say("")
	return m.reportGets(stdout)
}

func (m *measurement) load(ctx context.Context, mode string, n int) (loadResult, error) {
	t := loadTask{Mode: mode, Host: m.host, Port: m.port, N: n, Warmup: m.warmup, Time: m.time}
	var r loadResult
	err := inProcess(ctx, task{Load: &t}, m.warmup+m.time+patience, &r)
	return r, err
}

// blocked measures calls in BLPOP, each mode in one process: what is counted hardly
// varies. A mode that fails, since threads or descriptors run out, does not keep the
// others from being measured.
func (m *measurement) blocked(ctx context.Context, stdout io.Writer, n int, cancel bool) error {
	defer m.stderr.Say("")
	var rows []blockedRow
	var failed []error
	for _, mode := range m.modes {
		if cancel && mode == "cgo" {
			continue // nothing can cancel it
		}
		m.stderr.Say("%d calls blocked, %s", n, mode)
		if err := settle(ctx, m.host, m.port); err != nil {
			return err
		}
		t := blockedTask{Mode: mode, Host: m.host, Port: m.port, N: n, Cancel: cancel}
		row := blockedRow{mode: mode}
		err := inProcess(ctx, task{Blocked: &t}, patience, &row.blockedResult)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", mode, err))
		default:
			rows = append(rows, row)
		}
	}
	m.stderr.Say("")
	if m.results != "" && len(failed) == 0 {
		r := blockedResults(n, rows)
		if err := atomicfile.Write(m.results, r.Write); err != nil {
			return err
		}
	}
	return errors.Join(append(failed, reportBlocked(stdout, n, cancel, rows))...)
}

// perSecond is how many calls a process made in a second.
func (r loadResult) perSecond() float64 { return float64(r.Ops) / r.Elapsed.Seconds() }

// evenly is the part of perSecond that all callers have alike: as many callers are
// served as fairness says, and the others wait.
func (r loadResult) evenly() float64 { return r.perSecond() * r.Fairness }

// median is that of a figure over the rounds.
func (s *series) median(figure func(loadResult) float64) float64 {
	var all []float64
	for _, r := range s.rounds {
		all = append(all, figure(r))
	}
	return paired.Median(all)
}

// speedup compares a rate with that of another series of the same rounds: above 1
// where this one's is higher.
func (s *series) speedup(base *series, rate func(loadResult) float64) paired.Speedup {
	var logs []float64
	for i, r := range s.rounds {
		logs = append(logs, math.Log(rate(r)/rate(base.rounds[i])))
	}
	return paired.Of(logs)
}
