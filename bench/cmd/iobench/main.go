//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/command"
)

// Options are the command line.
type options struct {
	counts  []int
	modes   []string
	rounds  int
	time    time.Duration
	warmup  time.Duration
	addr    string
	out     string
	results string
	blpop   int
	cancel  bool
}

const help = `Usage: iobench [flags]

Measures GET through libhiredis, called by cgo and as coroutines. With -blpop or
-cancel: what a call that waits takes of the machine, and how fast it ends.

Examples:
  iobench                          every mode with 1, 16, 256 and 4000 connections
  iobench -n 16 -rounds 30 -o io.txt
                                   and the results for benchstat -col /via io.txt
  iobench -blpop 10000 -modes executor,floating
  iobench -cancel

`

// cancelled is how many calls -cancel blocks.
const cancelled = 1000

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := command.Flags("iobench", help, stderr)
	counts := f.String("n", "1,16,256,4000", "how many connections: a `list`")
	names := f.String("modes", strings.Join(modes, ","), "how C is called: a `list`")
	f.IntVar(&o.rounds, "rounds", 10, "rounds; in each, every mode runs once, in random order")
	f.DurationVar(&o.time, "time", time.Second, "how long a process measures")
	f.DurationVar(&o.warmup, "warmup", 300*time.Millisecond, "how long it runs before")
	f.StringVar(&o.addr, "addr", "", "`host:port` of a Redis that nobody else uses; empty: one of its own")
	f.StringVar(&o.out, "o", "", "write the results to this `file`, for benchstat")
	f.StringVar(&o.results, "results", "", "with -blpop: write threads and memory to this `file` of docs/results")
	f.IntVar(&o.blpop, "blpop", 0, "instead: threads and memory with so many calls blocked in BLPOP")
	f.BoolVar(&o.cancel, "cancel", false, fmt.Sprintf("instead: the time from cancel to the return of each of %d blocked calls", cancelled))
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("argument %s is not wanted (iobench -h shows the flags)", f.Arg(0))
	case o.rounds < 1 || o.time <= 0 || o.warmup < 0:
		return o, errors.New("-rounds and -time must be above zero, -warmup not below")
	case o.blpop < 0 || o.blpop > 0 && o.cancel:
		return o, errors.New("-blpop wants a number above zero, and not -cancel as well")
	case o.results != "" && o.blpop == 0:
		return o, errors.New("-results is for -blpop")
	case o.out != "" && (o.blpop > 0 || o.cancel):
		return o, errors.New("-o is for the measurement of GET, not for -blpop and -cancel")
	}
	for s := range strings.SplitSeq(*counts, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-n %s: %q is not a number above zero", *counts, s)
		}
		o.counts = append(o.counts, n)
	}
	for s := range strings.SplitSeq(*names, ",") {
		if !slices.Contains(modes, s) {
			return o, fmt.Errorf("-modes: no mode %q: want %s", s, strings.Join(modes, ", "))
		}
		if !slices.Contains(o.modes, s) {
			o.modes = append(o.modes, s)
		}
	}
	return o, nil
}

func main() {
	if child, err := inChild(); child {
		os.Exit(command.Conclude("iobench", command.Failed, err))
	}
	// What is started here ends with this thread, see startRedis.
	runtime.LockOSThread()
	command.Main("iobench", run)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	o, err := parse(args, stderr)
	var host string
	var port int
	if err == nil && o.addr != "" {
		host, port, err = splitAddr(o.addr)
	}
	if err != nil {
		return command.Usage, err
	}
	if o.addr == "" {
		var stop func()
		if port, stop, err = startRedis(ctx); err != nil {
			return command.Failed, err
		}
		defer stop()
		host = "127.0.0.1"
	}
	m := &measurement{options: o, host: host, port: port, stderr: command.Screen{Writer: stderr}}
	switch {
	case o.blpop > 0:
		err = m.blocked(ctx, stdout, o.blpop, false)
	case o.cancel:
		err = m.blocked(ctx, stdout, cancelled, true)
	default:
		err = m.gets(ctx, stdout)
	}
	if err != nil {
		return command.Failed, err
	}
	return 0, nil
}

func splitAddr(addr string) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(addr)
	if err == nil {
		port, err = strconv.Atoi(p)
	}
	if err != nil {
		return "", 0, fmt.Errorf("-addr: %w (want host:port)", err)
	}
	return host, port, nil
}
