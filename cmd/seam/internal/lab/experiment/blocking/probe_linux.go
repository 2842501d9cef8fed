//go:build linux && cgo

package blocking

import (
	"context"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
	"github.com/seamgo/seam/coro"
)

// looks is how often a case is looked at in a process: the 99th percentile of one short look
// may be due to something else that the machine did. A quick run has one in each of three
// processes instead: what one process shows, however often, proves nothing.
func looks(mode lab.Mode) int { return lab.InQuick(mode, 1, 3) }

// window is how long a look takes: a whole number of delays, because where few
// calls run at once their answers arrive together.
func window(mode lab.Mode, n int) time.Duration {
	least := lab.ByMode(mode, 100*time.Millisecond, 300*time.Millisecond, time.Second)
	d := delay(n)
	return (least + d - 1) / d * d
}

// probe returns what measures one case in a process of its own. The side that
// answers is a thread of this one, so that its work is not counted.
func probe(via string, n int) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
		return probeFor(ctx, order{Via: via, N: n, Looks: looks(b.Mode), Window: window(b.Mode, n)})
	}
}

func probeFor(ctx context.Context, o order) ([]lab.Metric, error) {
	if err := possible(o); err != nil {
		return nil, err
	}
	p, err := startPeer(delay(o.N), o.N)
	if err != nil {
		return nil, err
	}
	defer p.close()
	o.Peer = p.name

	child, err := subprocess.Start(ctx, "blocking")
	if err != nil {
		return nil, err
	}
	defer child.Close()
	if err := child.Send(o); err != nil {
		return nil, err
	}
	var list []lab.Metric
	for range o.Looks {
		var f finding
		if err := child.Receive(&f); err != nil {
			return nil, err
		}
		if f.Wrong != "" {
			return nil, lab.Skip("%s", f.Wrong)
		}
		list = append(list, metricsOf(o.Via, o.N, f)...)
	}
	return list, nil
}

// possible returns a reason to skip if the machine can't handle so many calls.
func possible(o order) error {
	if err := subprocess.NeedFiles(o.N); err != nil {
		return err
	}
	switch o.Via {
	case viaCgo:
		return subprocess.NeedThreads(o.N)
	case viaCoro:
		if s := coro.Status(); s.Path != "assembly" {
			return lab.Skip("coroutines take the slow path here (%s), where netio has no effect: %s", s.Path, s.Reason)
		}
	}
	return nil
}

func metricsOf(via string, n int, f finding) []lab.Metric {
	of := func(what string) string { return label(via, n) + ": " + what }
	list := []lab.Metric{
		{Unit: unitRate, Value: f.Rate, Label: of("calls")},
		{Unit: unitLate, Value: f.Late, Label: of("others run late by (p99)")},
		{Unit: unitThreads, Value: float64(f.Threads), Label: of("threads")},
		{Unit: unitMemory, Value: f.Memory, Label: of("memory of a call")},
		{Name: usedName(via, n), Unit: unitShare, Value: f.Used, Label: of("P utilisation")},
	}
	if f.NotInGo >= 0 {
		list = append(list, lab.Metric{Name: notInGoName(via, n), Unit: unitShare, Value: f.NotInGo, Label: of("goroutines inside C")})
	}
	return list
}
