//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/seam"
)

// programs are what the program can do. The last one's sites hold what is known.
var programs = []string{"malloc", "sqlite", "service", "sites"}

// A site holds so many bytes in blocks of one size, for a function of Go.
type site struct {
	name, caller string
	size         float64
}

// held is what each site holds, as in the program.
const held = 24_000_000

var sites = []site{{"small_site", "main.holdSmall", 48}, {"middle_site", "main.holdMiddle", 3000}, {"large_site", "main.holdLarge", 200000}}

// spread is the standard deviation of what is estimated for the site by one sample in 512 KiB, from so many
// runs. Allocators keep some 16 bytes beside each block, which count for the choice.
func (s site) spread(runs int) float64 {
	p := 1 - math.Exp(-(s.size+16)/(512<<10))
	return s.size * math.Sqrt(math.Floor(held/s.size)*(1-p)/p/float64(runs))
}

// slow is how many times as long a program may take for a second round.
const slow = 10

type measurement struct {
	rounds     int
	seam, work string
	log        io.Writer
	stderr     command.Screen
	before     float64 // the load before it began

	missing map[string]error                // tools
	rows    []*row                          // what was measured
	live    map[string]map[string][]float64 // bytes by tool and site, of each run
	callers map[string]map[string]bool      // sites whose caller in Go a tool has named
}

// A row is a program with a tool.
type row struct {
	program, tool string
	rounds        []paired.Round
}

// overhead is how many times the time the program takes.
func (r *row) overhead() paired.Speedup {
	var logs []float64
	for _, x := range r.rounds {
		logs = append(logs, -x.Log())
	}
	return paired.Of(logs)
}

func (m *measurement) measure(ctx context.Context) error {
	defer m.stderr.Say("")
	m.missing, m.live, m.callers = map[string]error{}, map[string]map[string][]float64{}, map[string]map[string]bool{}
	program := filepath.Join(m.work, "program")
	here := seam.Project{Log: m.log}
	m.stderr.Say("building")
	if _, err := here.Run(ctx, here.Go("build", "-o", program, "github.com/seamgo/seam/bench/cmd/heapbench/program")); err != nil {
		return err
	}
	for _, t := range tools(m.seam) {
		if err := t.missing(ctx); err != nil {
			m.missing[t.name] = err
			continue
		}
		m.live[t.name], m.callers[t.name] = map[string][]float64{}, map[string]bool{}
		for _, arg := range programs {
			r := &row{program: arg, tool: t.name}
			for i := range m.rounds {
				m.stderr.Say("%s, %s: round %d of %d", t.name, arg, i+1, m.rounds)
				round, err := m.round(ctx, &t, program, arg)
				if err != nil {
					return fmt.Errorf("%s of %s: %w", t.name, arg, err)
				}
				if r.rounds = append(r.rounds, round); -round.Log() > math.Log(slow) {
					break
				}
			}
			m.rows = append(m.rows, r)
		}
	}
	return nil
}

// round runs the program without the tool, with it twice, and without it.
func (m *measurement) round(ctx context.Context, t *tool, program, arg string) (r paired.Round, err error) {
	base := seam.Project{Env: t.base, Log: m.log}
	for i, with := range []bool{false, true, true, false} {
		if !with {
			if r.Old[i/2], err = took(ctx, base, []string{program, arg}); err != nil {
				return r, err
			}
			continue
		}
		if r.New[i-1], err = m.profiled(ctx, t, program, arg); err != nil {
			return r, err
		}
	}
	return r, nil
}

// profiled runs the program with the tool, and reads what its sites hold.
func (m *measurement) profiled(ctx context.Context, t *tool, program, arg string) (float64, error) {
	dir, err := os.MkdirTemp(m.work, t.name+"-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	line, env := t.line(program, arg, dir)
	p := seam.Project{Env: env, Log: m.log}
	ns, err := took(ctx, p, line)
	if err != nil || arg != "sites" {
		return ns, err
	}
	stacks, err := t.stacks(ctx, seam.Project{Log: m.log}, program, dir)
	if err != nil {
		return 0, err
	}
	for _, s := range sites {
		sum := 0.0
		for stack, bytes := range stacks {
			if strings.Contains(stack, s.name) {
				sum += bytes
				if strings.Contains(stack, s.caller) {
					m.callers[t.name][s.name] = true
				}
			}
		}
		m.live[t.name][s.name] = append(m.live[t.name][s.name], sum)
	}
	return ns, nil
}

// took is what the program prints: heaptrack has lines of its own around it.
func took(ctx context.Context, p seam.Project, line []string) (float64, error) {
	out, err := p.Run(ctx, line)
	if err != nil {
		return 0, err
	}
	for text := range strings.Lines(string(out)) {
		if ns, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return ns, nil
		}
	}
	return 0, fmt.Errorf("%s printed no time:\n%s", strings.Join(line, " "), seam.Tail(string(out), 10))
}

// wrong says where seam heap is not within five standard deviations of the truth, or doesn't name Go's part.
func (m *measurement) wrong() (list []string) {
	for _, s := range sites {
		runs := m.live["seam"][s.name]
		if got, five := mean(runs), 5*s.spread(len(runs)); math.Abs(got-held) > five {
			list = append(list, fmt.Sprintf("%s holds %.0f bytes, and %.0f ± %.0f were to be expected", s.name, got, float64(held), five))
		}
		if !m.callers["seam"][s.name] {
			list = append(list, fmt.Sprintf("no stack leads from %s to %s", s.name, s.caller))
		}
	}
	return list
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
