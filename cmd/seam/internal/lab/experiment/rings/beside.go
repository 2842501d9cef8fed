package rings

import (
	"context"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// A place is one way of one trip.
type place struct{ mode, peer, op, via string }

// A pair is two ways that take turns of milliseconds, with threads and processes each on a CPU
// of its own. Where a host gives its guests now two cores and now two threads of one, and where
// the kernel puts both sides on one CPU for a while, this is how a ratio is told; the cases by
// themselves say what a user gets. Throughput between goroutines is in two pairs: those that
// nobody keeps anywhere may take turns on one CPU, where nothing has to travel, and one that is
// kept on a thread is woken by the system, not by another goroutine.
type pair struct {
	ours, base place
	free       bool // all is where the kernel and Go like
}

var pairs = []pair{
	{ours: place{inproc, peerC, throughput, viaSeam}, base: place{inproc, peerC, throughput, viaBoost}},
	{ours: place{inproc, peerC, throughput, viaInPlace}, base: place{inproc, peerC, throughput, viaBoost}},
	{ours: place{inproc, peerC, throughput, viaEach}, base: place{inproc, peerC, throughput, viaBoostEach}},
	{place{xproc, peerGo, throughput, viaSeam}, place{inproc, peerGo, throughput, viaSeam}, true},
	{place{xproc, peerGo, throughput, viaSeam}, place{inproc, peerGo, throughput, viaSeam}, false},
	{place{xproc, peerC, throughput, viaSeam}, place{inproc, peerGo, throughput, viaSeam}, true},
	{place{xproc, peerC, throughput, viaSeam}, place{inproc, peerGo, throughput, viaSeam}, false},
	{place{inproc, peerGo, spin, viaSeam}, place{inproc, peerGo, spin, viaLine}, true},
	{ours: place{xproc, peerGo, spin, viaSeam}, base: place{xproc, peerGo, spin, viaLine}},
	{ours: place{xproc, peerC, spin, viaSeam}, base: place{xproc, peerC, spin, viaLine}},
	{place{inproc, peerGo, spin, viaSmall}, place{inproc, peerGo, spin, viaLine}, true},
	{ours: place{xproc, peerGo, spin, viaSmall}, base: place{xproc, peerGo, spin, viaLine}},
	{ours: place{xproc, peerC, spin, viaSmall}, base: place{xproc, peerC, spin, viaLine}},
	{place{inproc, peerGo, spin, viaLines}, place{inproc, peerGo, spin, viaLine}, true},
	{ours: place{xproc, peerGo, spin, viaLines}, base: place{xproc, peerGo, spin, viaLine}},
	{ours: place{xproc, peerC, spin, viaLines}, base: place{xproc, peerC, spin, viaLine}},
}

func (p place) trip() trip { return trip{mode: p.mode, peer: p.peer, op: p.op} }

// name is that of the first way, and what it stands beside.
func (p pair) name() string {
	beside := p.base.via
	if p.base.mode != p.ours.mode {
		beside = p.base.mode
	}
	name := p.ours.trip().name(latencySize, p.ours.via) + "/beside=" + beside
	if p.goroutines() && !p.free {
		name += "/pinned"
	}
	return name
}

func (p pair) label() string {
	label := fmt.Sprintf("%s, to %s, %s", p.ours.trip().label(latencySize, p.ours.via), viaLabels[p.base.via], placeLabels[[2]string{p.base.mode, p.base.peer}])
	if p.goroutines() && !p.free {
		label += ", each on a CPU"
	}
	return label
}

const (
	unitRatio     = "ratio"     // of the time of an operation
	unitTailRatio = "p99-ratio" // of the slowest of a hundred round trips to the other's mean
	turn          = 2_000_000   // ns
)

// goroutines reports whether one of the two is between goroutines.
func (p pair) goroutines() bool {
	return p.ours.mode == inproc && p.ours.peer == peerGo || p.base.mode == inproc && p.base.peer == peerGo
}

type cpuKey struct{}

// onCPU says on which CPU the other side of a wire is to be, if it is a goroutine.
func onCPU(ctx context.Context, cpu int) context.Context {
	return context.WithValue(ctx, cpuKey{}, cpu)
}

// pinned pins the goroutine of the other side.
func pinned(ctx context.Context) (undo func()) {
	if cpu, ok := ctx.Value(cpuKey{}).(int); ok {
		return subprocess.Pin(cpu)
	}
	return func() {}
}

func besideCase(p pair) lab.Case {
	return lab.Case{Name: p.name(), Label: p.label(),
		Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return beside(ctx, b.Mode, p) }}
}
