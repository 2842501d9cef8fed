package rings

import (
	"context"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// atRate times single round trips that begin at so many a second: both sides have gone to
// sleep in between. The ways take turns, each with a trip at its time.
func atRate(ctx context.Context, mode lab.Mode, peer string, rate int) ([]lab.Metric, error) {
	var vias []string
	var wires []*wire
	for _, via := range append(rateVias(peer), viaControl) {
		w, err := toProcess(ctx, trip{mode: xproc, peer: peer, op: usual}, latencySize, via)
		if err != nil && isShmipc(via) {
			continue // its own case says why
		}
		if err != nil {
			return nil, err
		}
		defer w.close()
		vias, wires = append(vias, via), append(wires, w)
	}
	times := make([][]float64, len(vias))
	trips := lab.ByMode(mode, rate/10, rate/2, 10*rate)
	apart := time.Second / time.Duration(rate*len(vias))
	next := time.Now()
	for range trips {
		for _, i := range rand.Perm(len(wires)) {
			next = next.Add(apart)
			time.Sleep(time.Until(next))
			took, err := wires[i].trips(1)
			if err != nil {
				return nil, lab.Skip("the other side: %v", err)
			}
			times[i] = append(times[i], took...)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	var list []lab.Metric
	for i, via := range vias {
		name, label := rateName(peer, rate, via), rateLabel(peer, rate, via)
		list = append(list,
			lab.Metric{Name: name, Unit: unitMedian, Value: subprocess.Quantile(times[i], 0.5), Label: label + ": median"},
			lab.Metric{Name: name, Unit: unitTail, Value: subprocess.Quantile(times[i], 0.99), Label: label + ": p99"})
	}
	return list, nil
}

// idle tells what part of a processor both processes take while nothing goes through their
// ring.
func idle(ctx context.Context, mode lab.Mode, peer string) ([]lab.Metric, error) {
	w, err := toProcess(ctx, trip{mode: xproc, peer: peer, op: usual}, latencySize, viaSeam)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.echo(100); err != nil {
		return nil, lab.Skip("the other side: %v", err)
	}
	processes.Lock()
	pid := processes.of[peer].child.PID()
	processes.Unlock()
	time.Sleep(10 * time.Millisecond) // until both sleep
	before, err := processorTime(pid)
	if err != nil {
		return nil, err
	}
	long := lab.ByMode(mode, 300*time.Millisecond, time.Second, 10*time.Second)
	time.Sleep(long)
	after, err := processorTime(pid)
	if err != nil {
		return nil, err
	}
	return []lab.Metric{{Unit: unitShare, Value: 100 * float64(after-before) / float64(long)}}, nil
}

// processorTime is what a process has taken, in ns.
func processorTime(pid int) (int64, error) {
	var t unix.Timespec
	// The clock of a process has its number in the upper bits, inverted, and 2 below.
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, lab.Skip("the processor time of another process can't be read: %v", err)
	}
	return t.Nano(), nil
}
