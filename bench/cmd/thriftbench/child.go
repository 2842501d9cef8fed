package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/thrift/codecs"
)

// taskEnv holds the task of a process that measures speed, as JSON.
const taskEnv = "SEAM_THRIFTBENCH_TASK"

// patience is how much longer than asked for a process may measure.
const patience = time.Minute

// A task is to run subjects Count times each for Time, in turns, beside so many MB of live
// objects.
type task struct {
	Names []string
	Count int
	Time  time.Duration
	Heap  int

	Processor bool // measure the processor's time, not the clock's
}

// A sample is what one process found: medians over its runs.
type sample struct {
	N      int     // operations of all runs
	Time   float64 // ns/op
	Bytes  float64 // B/op
	Allocs float64 // allocs/op
}

// inChild does the task in the environment, if there is one, and prints the samples.
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
	var work []func(n int) error
	for _, name := range t.Names {
		i := slices.IndexFunc(all, func(s codecs.Subject) bool { return s.Name() == name })
		if i < 0 {
			return true, fmt.Errorf("%s: no codec %q", taskEnv, name)
		}
		work = append(work, all[i].Run)
	}
	defer runtime.KeepAlive(codecs.LiveHeap(t.Heap))
	found, err := t.run(work)
	if err != nil {
		return true, fmt.Errorf("%s: %w", strings.Join(t.Names, ", "), err)
	}
	return true, json.NewEncoder(os.Stdout).Encode(found)
}

// run finds how often each work fits into the time, and then measures.
func (t task) run(work []func(n int) error) ([]sample, error) {
	fits := make([]int, len(work))
	for i, do := range work {
		if err := do(1); err != nil { // what is set up once
			return nil, err
		}
		for n := 1; ; n *= 4 {
			took, _, err := t.timed(do, n)
			if err != nil {
				return nil, err
			}
			if took > t.Time/8 || n > 1<<30 {
				fits[i] = max(1, int(float64(n)*float64(t.Time)/float64(max(took, 1))))
				break
			}
		}
	}
	times, bytes, allocs := make([][]float64, len(work)), make([][]float64, len(work)), make([][]float64, len(work))
	for range t.Count {
		for _, i := range rand.Perm(len(work)) {
			took, m, err := t.timed(work[i], fits[i])
			if err != nil {
				return nil, err
			}
			n := float64(fits[i])
			times[i] = append(times[i], float64(took)/n)
			bytes[i] = append(bytes[i], float64(m.TotalAlloc)/n)
			allocs[i] = append(allocs[i], float64(m.Mallocs)/n)
		}
	}
	found := make([]sample, len(work))
	for i := range work {
		found[i] = sample{N: fits[i] * t.Count, Time: paired.Median(times[i]), Bytes: paired.Median(bytes[i]), Allocs: paired.Median(allocs[i])}
	}
	return found, nil
}

// timed does the work n times and returns the time and what was allocated.
func (t task) timed(work func(n int) error, n int) (time.Duration, runtime.MemStats, error) {
	began := time.Now()
	now := func() time.Duration { return time.Since(began) }
	if t.Processor {
		now = processorTime
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := now()
	err := work(n)
	took := now() - start
	runtime.ReadMemStats(&after)
	return took, runtime.MemStats{TotalAlloc: after.TotalAlloc - before.TotalAlloc, Mallocs: after.Mallocs - before.Mallocs}, err
}

// processorTime is what the process has taken of its processor so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// process does a task in a fresh process with one processor.
func process(ctx context.Context, t task) ([]sample, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, patience+2*time.Duration(t.Count*len(t.Names))*t.Time)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(timed, self)
	c.Env = append(os.Environ(), taskEnv+"="+string(text), "GOMAXPROCS=1")
	c.Stdout, c.Stderr = &stdout, &stderr
	names := strings.Join(t.Names, ", ")
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w\n%s", names, err, strings.TrimSpace(stderr.String()))
	}
	var found []sample
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil || len(found) != len(t.Names) || slices.ContainsFunc(found, func(s sample) bool { return s.Time <= 0 }) {
		return nil, fmt.Errorf("%s printed %q: %v", names, stdout.Bytes(), err)
	}
	return found, nil
}
