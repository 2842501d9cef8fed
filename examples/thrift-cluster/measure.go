package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/fleet"
	"github.com/seamgo/seam/examples/thrift-cluster/load"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
)

// Measured is what measure writes, for bench/cmd/clustersim: three servers under one caller,
// under many, and under many while one hangs, one drains, one is killed and one comes.
type Measured struct {
	Processors int       `json:"processors"`
	Servers    int       `json:"servers"`
	One        Phase     `json:"one"`
	Times      []float64 `json:"times_s"` // of One: the times that calls took, 1,000 of them evenly spread, sorted
	Many       Phase     `json:"many"`
	Hung       Phase     `json:"hung"` // twice as long: it hangs for the third quarter
	Drained    Phase     `json:"drained"`
	Killed     Phase     `json:"killed"`
	Added      Phase     `json:"added"`    // one is left, and another comes
	Loaded     float64   `json:"loaded_s"` // from the start of its process to its first order
}

// A Phase is some seconds of load.
type Phase struct {
	Callers    int     `json:"callers"`
	Seconds    float64 `json:"seconds"`
	Calls      int     `json:"calls"`  // answered
	Failed     int     `json:"failed"` // not answered
	Throughput float64 `json:"calls_per_s"`
	CPU        float64 `json:"cpu_s_per_call"` // of callers and servers
	P50        float64 `json:"p50_s"`
	P99        float64 `json:"p99_s"`
	Halfway    float64 `json:"halfway_s"` // when something happened, and
	Errors     float64 `json:"errors_s"`  // how long after that the last call failed; 0: none did
}

// measure runs three servers here and says what they did.
func measure(ctx context.Context, command func() *exec.Cmd, processors int, long time.Duration, stdout io.Writer) error {
	f, err := fleet.New(ctx, "", command)
	if err != nil {
		return err
	}
	defer f.Close()
	m := Measured{Processors: processors, Servers: 3}
	for range m.Servers {
		if _, err := f.Add(ctx); err != nil {
			return err
		}
	}
	p, err := place.Parse(f.Place())
	if err != nil {
		return err
	}
	c, err := p.Dial(place.DialOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	hang := func(ctx context.Context) error {
		if err := f.Servers[2].Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		pause(ctx, long/2)
		return f.Servers[2].Signal(syscall.SIGCONT)
	}
	add := func(ctx context.Context) error {
		begin := time.Now()
		s, err := f.Add(ctx)
		for err == nil && ctx.Err() == nil {
			if info, _ := os.Stat(s.Journal); info != nil && info.Size() > 0 {
				m.Loaded = time.Since(begin).Seconds()
				return nil
			}
			pause(ctx, time.Millisecond)
		}
		return errors.Join(err, ctx.Err())
	}
	for _, x := range []struct {
		phase   *Phase
		callers int
		long    time.Duration
		halfway func(context.Context) error
	}{
		{new(Phase), 16, long, nil}, // for warmth
		{&m.One, 1, long, nil},
		{&m.Many, 16, long, nil},
		{&m.Hung, 16, 2 * long, hang},
		{&m.Drained, 16, long, func(context.Context) error { return f.Servers[1].Drain() }},
		{&m.Killed, 16, long, func(context.Context) error { f.Servers[0].Kill(); return nil }},
		{&m.Added, 16, long, add},
	} {
		took, err := phase(ctx, f, c, x.phase, x.callers, x.long, x.halfway)
		if err != nil {
			return err
		}
		if x.phase == &m.One {
			for i := range 1000 {
				m.Times = append(m.Times, took[i*(len(took)-1)/999].Seconds())
			}
		}
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", " ")
	return e.Encode(m)
}

// phase runs so many callers, does something halfway, and fills in what came of it.
func phase(ctx context.Context, f *fleet.Fleet, c *place.Client, p *Phase, callers int, long time.Duration, halfway func(context.Context) error) ([]time.Duration, error) {
	calling, stop := context.WithTimeout(ctx, long)
	defer stop()
	l := load.New(c, 1000)
	before, begin := cpu(f), time.Now()
	var all sync.WaitGroup
	all.Go(func() { l.Run(calling, callers) })
	var happens time.Time
	if halfway != nil {
		pause(ctx, long/2)
		happens = time.Now()
		p.Halfway = happens.Sub(begin).Seconds()
		if err := halfway(ctx); err != nil {
			return nil, err
		}
	}
	all.Wait()
	if failed := l.LastFailed(); halfway != nil && failed.After(happens) {
		p.Errors = failed.Sub(happens).Seconds()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var took []time.Duration
	for _, s := range l.Seconds() {
		took = append(took, s.Took...)
		p.Failed += s.Failed
	}
	if len(took) == 0 {
		return nil, fmt.Errorf("of %d calls none was answered: %v", p.Failed, l.Errors())
	}
	slices.Sort(took)
	p.Callers, p.Calls, p.Seconds = callers, len(took), time.Since(begin).Seconds()
	p.Throughput = float64(p.Calls) / p.Seconds
	p.P50, p.P99 = took[(len(took)-1)/2].Seconds(), took[(len(took)-1)*99/100].Seconds()
	if halfway == nil { // the time of a server that has ended can't be asked for
		p.CPU = (cpu(f) - before).Seconds() / float64(p.Calls)
	}
	return took, nil
}

// pause waits, unless the context ends before.
func pause(ctx context.Context, long time.Duration) {
	select {
	case <-time.After(long):
	case <-ctx.Done():
	}
}

// cpu is the processor's time of this process and the servers.
func cpu(f *fleet.Fleet) (sum time.Duration) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
		sum = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for _, s := range f.Servers {
		if used, err := s.CPU(); err == nil {
			sum += used
		}
	}
	return sum
}
