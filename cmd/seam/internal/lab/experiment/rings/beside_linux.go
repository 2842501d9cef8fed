package rings

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// beside compares a pair.
func beside(ctx context.Context, mode lab.Mode, p pair) ([]lab.Metric, error) {
	if err := twoProcessors(); err != nil {
		return nil, err
	}
	first, second, err := subprocess.TwoCPUs()
	if err != nil {
		return nil, err
	}
	var does [2]func(int) error
	var wires [2]*wire
	for i, at := range []place{p.ours, p.base} {
		w, err := alone(ctx, at, second, !p.free)
		if err != nil {
			return nil, err
		}
		defer w.close()
		wires[i], does[i] = w, w.echo
		if at.op == throughput {
			does[i] = w.send
		}
	}
	if !p.free {
		defer subprocess.Pin(first)()
	}
	var count [2]int
	for i, do := range does {
		count[i] = 64
		for took := time.Duration(0); took < turn/2 && count[i] < 1<<22; { // and it warms up
			count[i] *= 2
			begin := time.Now()
			if err := do(count[i]); err != nil {
				return nil, lab.Skip("the other side: %v", err)
			}
			took = time.Since(begin)
		}
	}
	var logs, base, tails []float64
	for n := range lab.ByMode(mode, 8, 30, 100) {
		var each [2]float64
		for _, i := range []int{n % 2, 1 - n%2} {
			begin := time.Now()
			if err := does[i](count[i]); err != nil {
				return nil, lab.Skip("the other side: %v", err)
			}
			each[i] = float64(time.Since(begin)) / float64(count[i])
			if i == 0 && p.ours.op == spin && p.ours.via != viaLines {
				times, err := wires[0].trips(1000)
				if err != nil {
					return nil, lab.Skip("the other side: %v", err)
				}
				tails = append(tails, times...)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		logs, base = append(logs, math.Log(each[0]/each[1])), append(base, each[1])
	}
	list := []lab.Metric{{Name: p.name(), Unit: unitRatio, Value: math.Exp(middle(logs)), Label: p.label()}}
	list = append(list, lab.Metric{Name: p.name(), Unit: unitTime, Value: middle(base), Label: p.label() + ": the time of the latter"})
	if len(tails) > 0 {
		list = append(list, lab.Metric{Name: p.name(), Unit: unitTailRatio, Value: subprocess.Quantile(tails, 0.99) / middle(base), Label: p.label() + ": p99 to its mean"})
	}
	return list, nil
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// alone sets a way up whose other side is on a CPU if it is to be, in a process of its own if it
// is in one.
func alone(ctx context.Context, at place, cpu int, pinned bool) (*wire, error) {
	if at.mode == inproc {
		if pinned {
			// A thread of C stays where the one was that made it.
			defer subprocess.Pin(cpu)()
			ctx = onCPU(ctx, cpu)
		}
		return open(ctx, at.trip(), latencySize, at.via)
	}
	child, err := startProcess(ctx, at.peer)
	if err != nil {
		return nil, err
	}
	if pinned {
		if err := subprocess.PinProcess(child.PID(), cpu); err != nil {
			child.Close()
			return nil, lab.Skip("the other side can't be kept on a CPU: %v", err)
		}
	}
	w, err := (&process{child: child}).connect(ctx, at.op, latencySize, at.via)
	if err != nil {
		child.Close()
		return nil, err
	}
	hangUp := w.close
	w.close = func() {
		hangUp()
		child.Close()
	}
	return w, nil
}
