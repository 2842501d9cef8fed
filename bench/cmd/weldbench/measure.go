package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/bench/internal/paired"
)

// A benchmark is one line of a binary's results, measured on both sides.
type benchmark struct {
	target *target
	name   string // without "Benchmark": "Weld/mod=h3/op=Resolution"
	rounds [][2][2]sample
}

// A sample is what one process measured: medians of its runs.
type sample struct {
	n      int // iterations of all runs
	values []benchfmt.Value
}

// The units that reports are made from, as benchfmt tidies them.
const (
	unitTime   = "sec/op"
	unitAllocs = "allocs/op"
)

func (s sample) value(unit string) (float64, bool) {
	for _, v := range s.values {
		if v.Unit == unit {
			return v.Value, true
		}
	}
	return 0, false
}

// logs are the logarithms of the speedups of the rounds.
func (b *benchmark) logs() []float64 {
	var logs []float64
	for _, r := range b.rounds {
		var p paired.Round
		for i := range 2 {
			p.Old[i], _ = r[viaCgo][i].value(unitTime)
			p.New[i], _ = r[viaWeld][i].value(unitTime)
		}
		logs = append(logs, p.Log())
	}
	return logs
}

// median is that of a side over all processes.
func (b *benchmark) median(side int, unit string) (float64, bool) {
	var all []float64
	for _, r := range b.rounds {
		for _, s := range r[side] {
			if v, ok := s.value(unit); ok {
				all = append(all, v)
			}
		}
	}
	return paired.Median(all), len(all) > 0
}

// measure runs all benchmarks, both sides in turns.
func (m *measurement) measure(ctx context.Context) error {
	defer m.stderr.Say("")
	for _, t := range m.targets {
		names, facts, err := t.list(ctx, m.bench)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			return fmt.Errorf("no benchmark in %s matches %s", t.Dir, m.bench)
		}
		m.facts = facts
		for _, n := range names {
			m.benchmarks = append(m.benchmarks, &benchmark{target: t, name: n})
		}
	}
	for round := range m.rounds {
		for _, b := range m.benchmarks {
			m.stderr.Say("round %d of %d: %s", round+1, m.rounds, b.name)
			var both [2][2]sample
			for _, turn := range [...]struct{ side, i int }{{viaCgo, 0}, {viaWeld, 0}, {viaWeld, 1}, {viaCgo, 1}} {
				s, err := m.process(ctx, b, turn.side)
				if err != nil {
					return err
				}
				both[turn.side][turn.i] = s
			}
			b.rounds = append(b.rounds, both)
		}
	}
	return nil
}

// list returns the names of the benchmarks that match, and the configuration
// lines of the binary.
func (t *target) list(ctx context.Context, match string) (names, facts []string, err error) {
	out, err := t.Run(ctx, t.testBinary(viaCgo, match, "1x", 1))
	if err != nil {
		return nil, nil, err
	}
	results, err := read(out)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", t.binaries[viaCgo], err)
	}
	for _, r := range results {
		names = append(names, string(r.Name))
		if facts == nil {
			for _, c := range r.Config {
				if c.Key != "pkg" {
					facts = append(facts, c.Key+": "+string(c.Value))
				}
			}
		}
	}
	return names, facts, nil
}

// process runs a benchmark in a process of its own.
func (m *measurement) process(ctx context.Context, b *benchmark, side int) (sample, error) {
	line := b.target.testBinary(side, exactly("Benchmark"+b.name), m.benchtime.String(), m.count)
	out, err := b.target.Run(ctx, line)
	if err != nil {
		return sample{}, err
	}
	results, err := read(out)
	if err == nil && len(results) != m.count {
		err = fmt.Errorf("%d results, want %d", len(results), m.count)
	}
	if err != nil {
		return sample{}, fmt.Errorf("%s: %s: %w", b.target.binaries[side], b.name, err)
	}
	return summarise(results)
}

// testBinary is the command line of a side's binary.
func (t *target) testBinary(side int, match, benchtime string, count int) []string {
	return []string{t.binaries[side], "-test.run", "^$", "-test.bench", match, "-test.cpu", "1",
		"-test.benchmem", "-test.benchtime", benchtime, "-test.count", strconv.Itoa(count)}
}

// exactly is the expression that matches one benchmark, level by level.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// read returns the results in a binary's output.
func read(out []byte) ([]*benchfmt.Result, error) {
	r := benchfmt.NewReader(bytes.NewReader(out), "output")
	var all []*benchfmt.Result
	for r.Scan() {
		if result, ok := r.Result().(*benchfmt.Result); ok {
			all = append(all, result.Clone())
		}
	}
	return all, r.Err()
}

// summarise takes the medians of the runs of one process: an interruption makes
// a run slower, never faster.
func summarise(runs []*benchfmt.Result) (sample, error) {
	var s sample
	for _, r := range runs {
		s.n += r.Iters
	}
	for _, v := range runs[0].Values {
		var all []float64
		for _, r := range runs {
			if x, ok := r.Value(v.Unit); ok {
				all = append(all, x)
			}
		}
		s.values = append(s.values, benchfmt.Value{Value: paired.Median(all), Unit: v.Unit})
	}
	if t, _ := s.value(unitTime); t <= 0 {
		return sample{}, errors.New(string(runs[0].Name) + ": no time was measured")
	}
	return s, nil
}
