package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/thrift/codecs"
)

// A measurement is that of the speed.
type measurement struct {
	*bench
	series []*series
}

// A series is what was measured of one subject beside so many MB of live objects, a sample for
// each round.
type series struct {
	codecs.Subject
	heap   int
	rounds []sample
}

// measure runs all subjects that the user wants; those of one operation and message
// take turns, as processes or in one.
func (m *measurement) measure(ctx context.Context) error {
	defer m.stderr.Say("")
	all, err := codecs.All()
	if err != nil {
		return err
	}
	var groups [][]*series
	for _, heap := range m.heaps {
		for _, s := range all {
			if !m.options.bench.MatchString(s.Name()) {
				continue
			}
			one := &series{Subject: s, heap: heap}
			m.series = append(m.series, one)
			i := len(groups) - 1
			if i < 0 || groups[i][0].Msg != s.Msg || groups[i][0].Op != s.Op || groups[i][0].heap != heap {
				groups = append(groups, nil)
				i++
			}
			groups[i] = append(groups[i], one)
		}
	}
	if len(m.series) == 0 {
		return fmt.Errorf("no codec matches %s", m.options.bench)
	}
	for round := range m.rounds {
		for _, g := range groups {
			alone := 1
			if m.together {
				alone = len(g)
			}
			rand.Shuffle(len(g), func(i, k int) { g[i], g[k] = g[k], g[i] })
			for part := range slices.Chunk(g, alone) {
				t := task{Count: m.count, Time: m.benchtime, Heap: part[0].heap, Processor: m.together}
				for _, s := range part {
					t.Names = append(t.Names, s.Name())
				}
				m.stderr.Say("round %d of %d: %s", round+1, m.rounds, t.Names[0])
				found, err := process(ctx, t)
				if err != nil {
					return err
				}
				for i, s := range part {
					s.rounds = append(s.rounds, found[i])
				}
			}
		}
	}
	return nil
}

// find returns a series, nil if it was not measured.
func (m *measurement) find(op, msg, lib string, heap int) *series {
	for _, s := range m.series {
		if s.Op == op && s.Msg == msg && s.Lib == lib && s.heap == heap {
			return s
		}
	}
	return nil
}

// peers are other people's libraries, in the binary protocol.
var peers = []string{"kitex", "fastgo", "frugal", "apache"}

// best is the peer that is fastest over all rounds: nil if none was measured. What
// only we do, decode into an object that is there, is compared with their decoding.
func (m *measurement) best(op, msg string, heap int) *series {
	if op == codecs.DecodeInto {
		op = codecs.Decode
	}
	var best *series
	for _, lib := range peers {
		if s := m.find(op, msg, lib, heap); s != nil && (best == nil || s.ratio(best).Ratio < 1) {
			best = s
		}
	}
	return best
}

// ratio is that of the times to another series of the same rounds: below 1 is faster.
func (s *series) ratio(base *series) paired.Speedup {
	var logs []float64
	for i, r := range s.rounds {
		logs = append(logs, math.Log(r.Time/base.rounds[i].Time))
	}
	return paired.Of(logs)
}

// median is that of a figure over the rounds.
func (s *series) median(figure func(sample) float64) float64 {
	var all []float64
	for _, r := range s.rounds {
		all = append(all, figure(r))
	}
	return paired.Median(all)
}

// writeBenchfmt writes a line for each process, in the Go benchmark format.
func (m *measurement) writeBenchfmt(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Written by thriftbench. To compare the libraries: benchstat -col /lib FILE")
	fmt.Fprintln(b, "# A line is the median of one process.")
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\npkg: github.com/seamgo/seam/bench/thrift/codecs\n", runtime.GOOS, runtime.GOARCH)
	for round := range m.rounds {
		fmt.Fprintf(b, "\n#thriftbench round: %d\n", round+1)
		for _, s := range m.series {
			r := s.rounds[round]
			fmt.Fprintf(b, "Benchmark%s/heap=%dMB %d %.6g ns/op %.6g MB/s %.6g B/op %.6g allocs/op\n",
				s.Name(), s.heap, r.N, r.Time, float64(s.Size)/r.Time*1e3, r.Bytes, r.Allocs)
		}
	}
	return b.Flush()
}
