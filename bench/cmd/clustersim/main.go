// Command clustersim simulates the cluster of examples/thrift-cluster on 10 to 1,000 servers,
// from what three real processes did on this machine.
//
//	go run ./bench/cmd/clustersim                    measures for 80 seconds, then simulates
//	go run ./bench/cmd/clustersim -measured FILE     what go run ./examples/thrift-cluster measure wrote
//
// The first table compares the model with the processes, and states its error. The second
// has a load of so much of what the servers can do, open (calls come whether others are
// answered or not), in three weathers: none, every hundredth server killed (one at least), a
// rolling upgrade of all. A row simulates about as many calls as -calls says, which with
// many servers are made in less time: the times of the registry (lease, refresh, grace) are
// shortened in proportion, so that they are the same share of the run as of 30 seconds. That
// can't be done with time limits, which are what a server that hangs is about: the third table
// has 12 seconds of that, with less load where it would be more than ten times as many calls.
//
// It ends with code 2 if the command line is wrong, 3 if something could not be run.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"text/tabwriter"

	"github.com/seamgo/seam/bench/cluster"
)

// measured is what the example writes: see its measure.go.
type measured struct {
	Processors int       `json:"processors"`
	Servers    int       `json:"servers"`
	One        phase     `json:"one"`
	Times      []float64 `json:"times_s"`
	Many       phase     `json:"many"`
	Hung       phase     `json:"hung"`
	Drained    phase     `json:"drained"`
	Killed     phase     `json:"killed"`
	Added      phase     `json:"added"`
	Loaded     float64   `json:"loaded_s"`
}

type phase struct {
	Callers    int     `json:"callers"`
	Seconds    float64 `json:"seconds"`
	Calls      int     `json:"calls"`
	Failed     int     `json:"failed"`
	Throughput float64 `json:"calls_per_s"`
	CPU        float64 `json:"cpu_s_per_call"`
	P50        float64 `json:"p50_s"`
	P99        float64 `json:"p99_s"`
	Halfway    float64 `json:"halfway_s"`
	Errors     float64 `json:"errors_s"`
}

func main() {
	file := flag.String("measured", "", "a `file` that thrift-cluster measure wrote")
	load := flag.Float64("load", 0.5, "the load, of what the servers can do, in the second table")
	calls := flag.Int("calls", 300_000, "about how many are simulated in a row of the second table")
	seed := flag.Uint64("seed", 1, "of the simulation")
	flag.Parse()
	if flag.NArg() > 0 || *load <= 0 || *load >= 1 || *calls < 1000 {
		fmt.Fprintln(os.Stderr, "clustersim: want flags alone, a load between 0 and 1, and 1,000 calls or more")
		flag.Usage()
		os.Exit(2)
	}
	m, err := read(*file)
	if err == nil {
		err = report(os.Stdout, m, *load, *calls, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clustersim:", err)
		os.Exit(3)
	}
}

// read reads what was measured, or measures.
func read(file string) (m measured, err error) {
	var b []byte
	if file != "" {
		b, err = os.ReadFile(file)
	} else {
		file = "go run ./examples/thrift-cluster measure"
		cmd := exec.Command("go", "run", "./examples/thrift-cluster", "measure")
		cmd.Stderr = os.Stderr
		b, err = cmd.Output()
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	if len(m.Times) == 0 || m.Processors < 1 || m.Servers < 1 || m.One.CPU <= 0 || m.Many.CPU <= 0 || m.Many.Callers < 1 {
		return m, fmt.Errorf("%s: figures are missing: measure again", file)
	}
	return m, nil
}

// service draws times as they were measured with one caller, who waits for nobody, so long
// that their mean is what calls cost the processors. What calls took beyond that is delay.
func service(times []float64, cost float64) (draw func(*rand.Rand) float64, delay float64) {
	mean := 0.0
	for _, t := range times {
		mean += t / float64(len(times))
	}
	scale := cost / mean
	return func(r *rand.Rand) float64 { return times[r.IntN(len(times))] * scale }, max(0, mean-cost)
}

func report(w io.Writer, m measured, load float64, calls int, seed uint64) error {
	// Many callers at a time cost less each: goroutines and threads need not be woken.
	draw, _ := service(m.Times, m.Many.CPU)
	_, delay := service(m.Times, m.One.CPU)
	base := cluster.Config{Seed: seed, Servers: m.Servers, Processors: m.Processors, Shared: true, Service: draw, Delay: delay,
		Users: 1000, Idempotent: 0.5, Timeout: 1, Retries: 2, Refresh: 1, Clients: 1, Lease: 6, Grace: 2, Start: 1, Again: 1, Pause: 0.01,
		Breaker: cluster.Breaker{Samples: 10, Share: 0.5, Window: 10, Cooling: 5, Detect: 0.2, Successes: 2}} // Kitex's, as the example sets it
	fmt.Fprintf(w, "%d servers and their callers on one machine with %d processors; a call costs %.0f µs of them (alone: %.0f µs)\n\n",
		m.Servers, m.Processors, 1e6*m.Many.CPU, 1e6*m.One.CPU)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\treal\tmodel\terror\t")
	line := func(what string, real, model float64, format string) {
		fmt.Fprintf(t, "%s\t"+format+"\t"+format+"\t%+.0f %%\t\n", what, real, model, 100*(model/real-1))
	}
	absent := func(servers ...int) (list []cluster.Event) {
		for _, s := range servers {
			list = append(list, cluster.Event{Server: s, What: cluster.Absent})
		}
		return list
	}
	for _, x := range []struct {
		name    string
		phase   phase
		servers int
		events  []cluster.Event
	}{
		{"", m.Many, 3, nil},
		{", one hung", m.Hung, 3, []cluster.Event{{At: m.Hung.Halfway, Server: 2, What: cluster.Hang}, {At: 1.5 * m.Hung.Halfway, Server: 2, What: cluster.Continue}}},
		{", one drained", m.Drained, 3, []cluster.Event{{At: m.Drained.Halfway, Server: 1, What: cluster.Restart}}},
		{", one killed", m.Killed, 3, append(absent(1), cluster.Event{At: m.Killed.Halfway, Server: 0, What: cluster.Kill})},
		{", one added", m.Added, 4, append(absent(0, 1, 3), cluster.Event{At: m.Added.Halfway + m.Loaded, Server: 3, What: cluster.Join})},
	} {
		c := base
		c.Servers, c.Callers, c.For, c.Events = x.servers, x.phase.Callers, x.phase.Seconds, x.events
		if x.name == ", one drained" {
			c.Start = math.Inf(1) // it does not come again
		}
		r, err := cluster.Run(c)
		if err != nil {
			return err
		}
		line("calls/s"+x.name, x.phase.Throughput, r.Throughput, "%.0f")
		line("p50 µs"+x.name, 1e6*x.phase.P50, 1e6*r.Percentile(50), "%.0f")
		line("p99 µs"+x.name, 1e6*x.phase.P99, 1e6*r.Percentile(99), "%.0f")
		fmt.Fprintf(t, "failed%s\t%d\t%d\t%+d\t\n", x.name, x.phase.Failed, r.Errors(), r.Errors()-x.phase.Failed)
		if x.phase.Errors > 0 || r.LastError > 0 {
			after := max(0, r.LastError-x.phase.Halfway)
			fmt.Fprintf(t, "the last after, s%s\t%.2f\t%.2f\t%+.2f\t\n", x.name, x.phase.Errors, after, after-x.phase.Errors)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(w, "\nThe server that came had its first order %.2f s after its process began.\n", m.Loaded)
	fmt.Fprintf(w, "\nServers with 2 processors each, %.0f %% loaded, 1,000 users a server, half of the calls may be repeated\n\n", 100*load)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "servers\tweather\tcalls\tcalls/s\tp50 µs\tp99 µs\tlost\tlate\trefused\tretried\tmoved\t")
	for _, n := range []int{10, 30, 100, 300, 1000} {
		c := base
		c.Servers, c.Processors, c.Shared, c.Clients = n, 2, false, 100
		c.Users = 1000 * n
		c.Rate = load * float64(2*n) / m.Many.CPU
		c.For = min(30, float64(calls)/c.Rate)
		k := c.For / 30
		c.Lease, c.Refresh, c.Grace, c.Start, c.Again = 6*k, k, 2*k, k, k
		c.Breaker = cluster.Breaker{}
		for _, weather := range []string{"fair", "killed", "upgrade"} {
			c.Events = nil
			switch weather {
			case "killed":
				for i := range max(1, n/100) {
					c.Events = append(c.Events, cluster.Event{At: c.For / 2, Server: i * n / max(1, n/100), What: cluster.Kill})
				}
			case "upgrade": // a tenth at a time
				for s := range n {
					c.Events = append(c.Events, cluster.Event{At: c.For / 20 * (1 + 1.7*float64(s/(n/10))), Server: s, What: cluster.Restart})
				}
			}
			r, err := cluster.Run(c)
			if err != nil {
				return err
			}
			fmt.Fprintf(t, "%d\t%s\t%d\t%.0f\t%.0f\t%.0f\t%d\t%d\t%d\t%d\t%d\t\n", n, weather, r.Calls, r.Throughput,
				1e6*r.Percentile(50), 1e6*r.Percentile(99), r.Lost, r.Late, r.Refused, r.Retried, r.Moved)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}

	fmt.Fprint(w, "\nOne of them hangs after 2 of 12 seconds, and goes on after 9\n\n")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "servers\tloaded\tcalls\tp50 µs\tp99 µs\tlate\tmoved\tlast error after\t")
	for _, n := range []int{10, 30, 100, 300, 1000} {
		c := base
		c.Servers, c.Processors, c.Shared, c.Clients = n, 2, false, 100
		c.Users, c.For = 1000*n, 12
		most := float64(2*n) / m.Many.CPU
		c.Rate = min(load*most, 10*float64(calls)/c.For)
		c.Events = []cluster.Event{{At: 2, Server: n / 2, What: cluster.Hang}, {At: 9, Server: n / 2, What: cluster.Continue}}
		r, err := cluster.Run(c)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%d\t%.1f %%\t%d\t%.0f\t%.0f\t%d\t%d\t%.1f s\t\n", n, 100*c.Rate/most, r.Calls,
			1e6*r.Percentile(50), 1e6*r.Percentile(99), r.Late, r.Moved, r.LastError-2)
	}
	return t.Flush()
}
