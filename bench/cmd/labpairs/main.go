// Command labpairs asks what a stranger would: does `seam lab compare` call a run of
// the lab different from another of the same program on the same machine, and does it
// find a slowdown that is there? It makes runs on an idle machine and beside busy
// loops, compares each with each in both directions (6 runs are 30 pairs), as JSON and
// as benchfmt, and counts the exits with code 1. Then it slows one row down in the
// second file of each pair, and counts how often that row is named.
//
//	go run ./bench/cmd/labpairs                             6 quick runs each: half an hour
//	go run ./bench/cmd/labpairs -runs 4 -busy 0,1 call grid
//	go run ./bench/cmd/labpairs -mode normal -busy 0 -runs 5 call errorpath
//
// It ends with code 1 if more than 1 of 30 pairs is called slower or, in another mode than
// quick, if less than 9 of 10 slowdowns are found; 2 if the command line is wrong, 3 if
// something could not be run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
)

type options struct {
	seam        string
	work        string
	mode        string
	runs        int
	busy        []int
	slow        []string
	by          float64
	verbose     bool
	experiments []string
}

const usage = `Usage: labpairs [flags] [EXPERIMENT…]

Compares runs of the lab with each other, on this machine and beside busy loops.

`

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := command.Flags("labpairs", usage, stderr)
	f.StringVar(&o.seam, "seam", filepath.Join("bin", "seam"), "the seam to run")
	f.StringVar(&o.work, "work", filepath.Join("bin", "labpairs"), "folder for the runs; those that are there are not made again")
	f.StringVar(&o.mode, "mode", "quick", "quick, normal or full")
	f.IntVar(&o.runs, "runs", 6, "runs for each number of busy loops; n are n·(n-1) pairs")
	busy := f.String("busy", "0,1,2", "numbers of busy loops beside the runs")
	slow := f.String("slow", "Call/via=leaf,ErrorPath/layout=bare/types=16", "rows to slow down, one at a time")
	f.Float64Var(&o.by, "by", 0.1, "by how much")
	f.BoolVar(&o.verbose, "v", false, "show the commands that are run")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	for _, s := range strings.Split(*busy, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 64 {
			return o, fmt.Errorf("-busy: %q is no number of loops", s)
		}
		o.busy = append(o.busy, n)
	}
	if o.runs < 2 || !(o.by > 0) {
		return o, errors.New("-runs must be above 1, and -by above 0")
	}
	if *slow != "" {
		o.slow = strings.Split(*slow, ",")
	}
	o.experiments = f.Args()
	var err error
	o.seam, err = seam.Find(o.seam)
	return o, err
}

func main() { command.Main("labpairs", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) || errors.Is(err, command.ErrUsage) {
		return command.Usage, err
	} else if err != nil {
		return command.Usage, err
	}
	if err := os.MkdirAll(o.work, 0o777); err != nil {
		return command.Failed, err
	}
	p := seam.Project{Seam: o.seam, Dir: "."}
	if o.verbose {
		p.Log = stderr
	}
	bad := 0
	for _, busy := range o.busy {
		start := time.Now()
		files, err := o.measure(ctx, p, busy)
		if err != nil {
			return command.Failed, err
		}
		for _, format := range formats {
			t, err := o.judge(ctx, p, files, format)
			if err != nil {
				return command.Failed, err
			}
			fmt.Fprintf(stdout, "%d busy loops, %s: %s\n", busy, format, t)
			bad += t.missed(o.mode)
		}
		fmt.Fprintf(stderr, "labpairs: %d busy loops took %s\n", busy, time.Since(start).Round(time.Second))
	}
	if bad > 0 {
		return command.Missed, fmt.Errorf("%d of the goals are missed", bad)
	}
	return 0, nil
}

var formats = []string{"json", "txt"}

// measure makes the runs beside that many busy loops, and returns the names of their
// files without the format.
func (o options) measure(ctx context.Context, p seam.Project, busy int) ([]string, error) {
	defer occupy(busy)()
	var files []string
	for i := range o.runs {
		base := filepath.Join(o.work, fmt.Sprintf("%s-busy%d-%d", o.mode, busy, i))
		files = append(files, base)
		if _, err := os.Stat(base + ".json"); err == nil {
			continue
		}
		line := []string{p.Seam, "lab", "--json", base + ".json", "--benchfmt", base + ".txt"}
		if o.mode != "normal" {
			line = append(line, "--"+o.mode)
		}
		if _, err := p.Run(ctx, append(line, o.experiments...)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// occupy keeps that many processors busy until what it returns is called. Each loop is a
// process of its own, as a neighbour's would be.
func occupy(n int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, n)
	for range n {
		go func() {
			defer func() { done <- struct{}{} }()
			c := seam.Project{}.Command(ctx, []string{"sh", "-c", "while :; do :; done"})
			_ = c.Run() // it ends by being killed
		}()
	}
	return func() {
		cancel()
		for range n {
			<-done
		}
	}
}
