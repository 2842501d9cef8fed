package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/thrift/codecs"
)

// taskEnv holds the task of a process that measures speed, as JSON.
const taskEnv = "SEAM_THRIFTBENCH_TASK"

// patience is how much longer than asked for a process may measure.
const patience = time.Minute

// A task is to run one subject Count times for Time.
type task struct {
	Name  string
	Count int
	Time  time.Duration
}

// A sample is what one process found: medians over its runs.
type sample struct {
	N      int     // operations of all runs
	Time   float64 // ns/op
	Bytes  float64 // B/op
	Allocs float64 // allocs/op
}

// inChild does the task in the environment, if there is one, and prints the sample.
func inChild() (bool, error) {
	text := os.Getenv(taskEnv)
	if text == "" {
		return false, nil
	}
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return true, fmt.Errorf("%s: %w", taskEnv, err)
	}
	all, err := codecs.All()
	if err != nil {
		return true, err
	}
	for _, s := range all {
		if s.Name() == t.Name {
			found, err := t.run(s.Run)
			if err != nil {
				return true, fmt.Errorf("%s: %w", t.Name, err)
			}
			return true, json.NewEncoder(os.Stdout).Encode(found)
		}
	}
	return true, fmt.Errorf("%s: no codec %q", taskEnv, t.Name)
}

// run finds how often the work fits into the time, and then measures.
func (t task) run(work func(n int) error) (sample, error) {
	if err := work(1); err != nil { // what is set up once
		return sample{}, err
	}
	n := 1
	for {
		took, _, err := timed(work, n)
		if err != nil {
			return sample{}, err
		}
		if took > t.Time/8 || n > 1<<30 {
			n = max(1, int(float64(n)*float64(t.Time)/float64(max(took, 1))))
			break
		}
		n *= 4
	}
	var times, bytes, allocs []float64
	for range t.Count {
		took, m, err := timed(work, n)
		if err != nil {
			return sample{}, err
		}
		times = append(times, float64(took)/float64(n))
		bytes = append(bytes, float64(m.TotalAlloc)/float64(n))
		allocs = append(allocs, float64(m.Mallocs)/float64(n))
	}
	return sample{N: n * t.Count, Time: paired.Median(times), Bytes: paired.Median(bytes), Allocs: paired.Median(allocs)}, nil
}

// timed does the work n times and returns the time and what was allocated.
func timed(work func(n int) error, n int) (time.Duration, runtime.MemStats, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := work(n)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return took, runtime.MemStats{TotalAlloc: after.TotalAlloc - before.TotalAlloc, Mallocs: after.Mallocs - before.Mallocs}, err
}

// process does a task in a fresh process with one processor.
func process(ctx context.Context, t task) (s sample, err error) {
	text, err := json.Marshal(t)
	if err != nil {
		return s, err
	}
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	timed, cancel := context.WithTimeout(ctx, patience+2*time.Duration(t.Count)*t.Time)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(timed, self)
	c.Env = append(os.Environ(), taskEnv+"="+string(text), "GOMAXPROCS=1")
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		return s, fmt.Errorf("%s: %w\n%s", t.Name, err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil || s.Time <= 0 {
		return s, fmt.Errorf("%s printed %q: %v", t.Name, stdout.Bytes(), err)
	}
	return s, nil
}
