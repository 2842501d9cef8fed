// Package rings measures records that go through rings in shared memory, beside channels,
// Unix sockets and pipes.
package rings

import (
	"context"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Experiment is `seam lab ring`.
var Experiment = lab.Experiment{
	Name:  "ring",
	Title: "What does it cost to pass records between goroutines, and to another process?",
	About: fmt.Sprintf("Records of size bytes, with package ring (via=seam, rings of %d KiB), a channel, a Unix stream socket or a pair of pipes. "+
		"inproc is between two goroutines, and with peer=c between two threads of C; via=boost is boost::lockfree::spsc_queue there, with records of a size known when it is compiled, if boost is installed; records that are published together are handed over as an array, to both. xproc is from this process in Go to another one in Go, C or Python, which reads as its language does: "+
		"package net and os, blocking calls, socket.recv_into. "+
		"via=shmipc is shmipc-go, between two processes of a program that the experiment builds with it. "+
		"throughput: one operation is a record, and a sample ends when the other side has said that it has them all. The ring's writer publishes up to %d records together, and with batch=1 each; "+
		"a channel has room for %d records, and copies them; a socket and a pipe are written once a record. "+
		"rtt is there and back, a copy each way. In rtt-spin both sides look for each other until there is an answer, and via=line is the least that takes: one word that both write, and no record. "+
		"With via=lines each side has a word of its own, which only it writes, as in any ring. "+
		"In rtt-park both sleep at once. p50-ns and p99-ns are of single round trips. "+
		"op=rtt is how rings are by default, a short look and then sleep, at %d and %d round trips a second; what=idle is the part of a processor that the other process takes while nothing is sent.", capacity>>10, most, room(64), rates[0], rates[1]),
	Cases:   cases,
	Explain: explain,
}

const (
	capacity = 1 << 20 // of a ring, in bytes
	most     = 64      // records that are published together

	smallCapacity = 4096 // of one that lies in the processors' nearest caches, all of it
)

// batch is how many records of a size are published together.
func batch(size int) int { return min(most, max(1, capacity/8/size)) }

// room is how many records a channel has room for.
func room(size int) int { return min(1024, capacity/size) }

// Where the other side is, and in what language.
const (
	inproc = "inproc"
	xproc  = "xproc"

	peerGo     = "go"
	peerC      = "c"
	peerPython = "python"
)

// What is done.
const (
	throughput = "throughput"
	spin       = "rtt-spin"
	park       = "rtt-park"
	usual      = "rtt" // as the options have it: to look for a while, and then to sleep
)

// How records get there.
const (
	viaSeam    = "seam"
	viaEach    = "seam/batch=1" // and each is published
	viaInPlace = "seam/inplace" // in C: each made where it lies, not handed over as an array
	viaChannel = "channel"
	viaUnix    = "unix"
	viaPipe    = "pipe"
	viaLine    = "line"
	viaLines   = "lines" // a word for each way, each in a line of its own
	viaSmall   = "seam/ring=4096"
	viaControl = "unix/again" // a second Unix socket, beside which a ratio proves something or not

	viaBoost     = "boost" // boost::lockfree::spsc_queue
	viaBoostEach = "boost/batch=1"

	viaShmipc     = "shmipc" // github.com/cloudwego/shmipc-go
	viaShmipcEach = "shmipc/batch=1"
)

var viaLabels = map[string]string{
	viaSeam: "ring", viaEach: "ring, published one by one", viaInPlace: "ring, made in place", viaChannel: "channel",
	viaUnix: "Unix socket", viaControl: "a second Unix socket", viaPipe: "pipes", viaLine: "one word, no record", viaLines: "a word each way, no record", viaSmall: "ring of 4 KiB",
	viaBoost: "boost's queue", viaBoostEach: "boost's queue, one by one",
	viaShmipc: "shmipc-go", viaShmipcEach: "shmipc-go, flushed one by one",
}

var placeLabels = map[[2]string]string{
	{inproc, peerGo}: "between goroutines", {inproc, peerC}: "between threads of C",
	{xproc, peerGo}: "to a process in Go", {xproc, peerC}: "to a process in C", {xproc, peerPython}: "to a process in Python",
}

// A trip is what is measured of one place: what is done there and how, the first of
// which the others are compared with.
type trip struct {
	mode, peer, op string
	vias           []string
}

var trips = []trip{
	{inproc, peerGo, throughput, []string{viaChannel, viaSeam, viaEach}},
	{inproc, peerGo, spin, []string{viaLine, viaLines, viaSeam}},
	{inproc, peerGo, park, []string{viaChannel, viaSeam}},
	{inproc, peerC, throughput, []string{viaBoost, viaBoostEach, viaSeam, viaEach}},
	{xproc, peerGo, throughput, []string{viaUnix, viaPipe, viaSeam, viaEach, viaShmipc, viaShmipcEach}},
	{xproc, peerGo, spin, []string{viaLine, viaLines, viaSeam}},
	{xproc, peerGo, park, []string{viaUnix, viaPipe, viaSeam, viaShmipc}},
	{xproc, peerC, throughput, []string{viaUnix, viaPipe, viaSeam, viaEach}},
	{xproc, peerC, spin, []string{viaLine, viaLines, viaSeam}},
	{xproc, peerC, park, []string{viaUnix, viaPipe, viaSeam}},
	{xproc, peerPython, throughput, []string{viaUnix, viaSeam, viaEach}},
	{xproc, peerPython, spin, []string{viaSeam}},
	{xproc, peerPython, park, []string{viaUnix, viaSeam}},
}

// sizes are those of records, in bytes.
func sizes(mode lab.Mode) []int {
	return lab.InQuick(mode, []int{64}, allSizes)
}

var allSizes = []int{8, 64, 1024, 65536}

// latencySize is that of the records of single round trips.
const latencySize = 64

func (t trip) name(size int, via string) string {
	return fmt.Sprintf("Ring/mode=%s/peer=%s/size=%d/op=%s/via=%s", t.mode, t.peer, size, t.op, via)
}

func (t trip) label(size int, via string) string {
	return fmt.Sprintf("%s, %s, %s, %s", t.op, sizeLabel(size), placeLabels[[2]string{t.mode, t.peer}], viaLabels[via])
}

func sizeLabel(size int) string {
	if size >= 1<<10 {
		return fmt.Sprintf("%d KiB", size>>10)
	}
	return fmt.Sprintf("%d bytes", size)
}

// Units of the metrics.
const (
	unitTime   = "ns/op"
	unitMedian = "p50-ns"
	unitTail   = "p99-ns"
	unitShare  = "%"
)

// At low rates both sides have gone to sleep when the next record comes.
var rates = []int{100, 1000} // round trips a second

func rateVias(peer string) []string {
	if peer == peerGo {
		return []string{viaUnix, viaSeam, viaShmipc}
	}
	return []string{viaUnix, viaSeam}
}

func rateName(peer string, rate int, via string) string {
	return fmt.Sprintf("Ring/mode=%s/peer=%s/size=%d/op=%s/rate=%d/via=%s", xproc, peer, latencySize, usual, rate, via)
}

func rateLabel(peer string, rate int, via string) string {
	return fmt.Sprintf("%d round trips a second, %s, %s", rate, placeLabels[[2]string{xproc, peer}], viaLabels[via])
}

func idleName(peer string) string {
	return fmt.Sprintf("Ring/mode=%s/peer=%s/what=idle/via=%s", xproc, peer, viaSeam)
}

func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, t := range trips {
		for _, size := range sizes(mode) {
			for i, via := range t.vias {
				list = append(list, lab.Case{
					Name: t.name(size, via), Label: t.label(size, via),
					Group: strings.TrimSuffix(t.label(size, ""), ", "), Base: i == 0 && len(t.vias) > 1,
					Start: func(ctx context.Context, _ *lab.Bench) (*lab.Op, error) {
						return start(ctx, t, size, via)
					},
				})
			}
		}
	}
	for _, t := range trips {
		if t.op == park && t.mode == xproc {
			list = append(list, lab.Case{
				Name: fmt.Sprintf("Ring/mode=%s/peer=%s/size=%d/op=latency", t.mode, t.peer, latencySize), Label: "single round trips, " + placeLabels[[2]string{t.mode, t.peer}],
				Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return latencies(ctx, b.Mode, t.peer) },
			})
		}
	}
	for _, peer := range []string{peerGo, peerC} {
		for _, rate := range rates {
			list = append(list, lab.Case{
				Name: fmt.Sprintf("Ring/mode=%s/peer=%s/size=%d/op=%s/rate=%d", xproc, peer, latencySize, usual, rate), Label: rateLabel(peer, rate, viaSeam),
				Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return atRate(ctx, b.Mode, peer, rate) },
			})
		}
		list = append(list, lab.Case{
			Name: idleName(peer), Label: "processor time while nothing is sent, " + placeLabels[[2]string{xproc, peer}],
			Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return idle(ctx, b.Mode, peer) },
		})
	}
	for _, p := range pairs {
		list = append(list, besideCase(p))
	}
	return list
}
