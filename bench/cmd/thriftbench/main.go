// Command thriftbench compares Thrift compilers for Go: the speed of their code, what
// it costs to generate and build it, and what it does with hostile bytes.
//
//	go run ./bench/cmd/thriftbench                              all three
//	go run ./bench/cmd/thriftbench -parts codec -bench msg=order -rounds 20
//	go run ./bench/cmd/thriftbench -parts codec -bench op=decode -together
//	go run ./bench/cmd/thriftbench -parts hostile -v            every input, not the worst alone
//
// Every measurement of speed is a process of its own with one processor. The
// libraries take turns in random order, and a round is one observation: intervals are
// Student's, over the rounds, of the logarithm of the ratio to the peer that is best. With
// -together the libraries take turns within a process instead, and the processor's time is
// measured, which is steadier on a busy machine. Both are done with a heap that holds nothing else, as benchmarks have it, and with
// 64 MB of live objects, as services do.
//
// It ends with code 1 if a goal is missed and -strict was asked for, 2 if the command
// line is wrong, 3 if something could not be built or run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/atomicfile"
	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/thrift/hostile"
)

// The parts.
const (
	partCodec   = "codec"
	partBuild   = "build"
	partHostile = "hostile"
)

var parts = []string{partCodec, partBuild, partHostile}

// Options are the command line.
type options struct {
	parts     []string
	bench     *regexp.Regexp
	rounds    int
	count     int
	benchtime time.Duration
	heaps     []int // MB that are live beside the work
	together  bool
	structs   int
	repeat    int
	seam      string
	out       string
	results   string
	strict    bool
	verbose   bool
	args      []string
}

const help = `Usage: thriftbench [flags]

Compares the Go code of Thrift compilers: speed, cost of building, hostile bytes.

`

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{args: args}
	f := command.Flags("thriftbench", help, stderr)
	wanted := f.String("parts", strings.Join(parts, ","), "what to compare: a `list`")
	bench := f.String("bench", ".", "codec: those whose names match this `expression`")
	f.IntVar(&o.rounds, "rounds", 10, "codec: rounds; in each, every library runs once, in random order")
	f.IntVar(&o.count, "count", 3, "codec: runs in one process; their median counts")
	f.DurationVar(&o.benchtime, "benchtime", 50*time.Millisecond, "codec: length of such a run")
	heaps := f.String("heap", "0,64", "codec: measure beside so many MB of live objects: a `list`")
	f.BoolVar(&o.together, "together", false, "codec: a round is one process, in which the libraries take turns; measure the processor's time")
	f.IntVar(&o.structs, "structs", 300, "build: how many structs of 12 fields")
	f.IntVar(&o.repeat, "repeat", 5, "build: how often each compiler and build is run; medians count")
	f.StringVar(&o.seam, "seam", filepath.Join("bin", "seam"), "build: the seam to generate with")
	f.StringVar(&o.out, "o", "", "codec: write the results to this file, for benchstat")
	f.StringVar(&o.results, "results", "", "codec: write medians and ratios to this file of docs/results")
	f.BoolVar(&o.strict, "strict", false, "end with code 1 if a goal is missed")
	f.BoolVar(&o.verbose, "v", false, "hostile: show all results; build: show the commands")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("argument %s is not wanted (thriftbench -h shows the flags)", f.Arg(0))
	case o.rounds < 1 || o.count < 1 || o.benchtime <= 0 || o.structs < 1 || o.repeat < 1:
		return o, errors.New("-rounds, -count, -benchtime, -structs and -repeat must be above zero")
	}
	for p := range strings.SplitSeq(*wanted, ",") {
		if !slices.Contains(parts, p) {
			return o, fmt.Errorf("-parts: no part %q: want %s", p, strings.Join(parts, ", "))
		}
		o.parts = append(o.parts, p)
	}
	for text := range strings.SplitSeq(*heaps, ",") {
		mb, err := strconv.Atoi(text)
		if err != nil || mb < 0 || mb > 1<<14 {
			return o, fmt.Errorf("-heap: %q is no number of MB up to %d", text, 1<<14)
		}
		o.heaps = append(o.heaps, mb)
	}
	if o.out+o.results != "" && !slices.Contains(o.parts, partCodec) {
		return o, fmt.Errorf("-o and -results are for %s, which -parts does not ask for", partCodec)
	}
	var err error
	if o.bench, err = regexp.Compile(*bench); err != nil {
		return o, fmt.Errorf("-bench: %w", err)
	}
	return o, nil
}

func main() {
	for _, inChild := range []func() (bool, error){inChild, hostile.InChild} {
		if child, err := inChild(); child {
			os.Exit(command.Conclude("thriftbench", command.Failed, err))
		}
	}
	command.Main("thriftbench", run)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return command.Usage, err
	}
	b := &bench{options: o, stdout: stdout, stderr: command.Screen{Writer: stderr}}
	for i, p := range o.parts {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		switch p {
		case partCodec:
			err = b.codec(ctx)
		case partBuild:
			err = b.build(ctx)
		case partHostile:
			err = b.hostile(ctx)
		}
		if err != nil {
			return command.Failed, err
		}
	}
	if b.missed > 0 && o.strict {
		return command.Missed, fmt.Errorf("%d of the goals are missed", b.missed)
	}
	return 0, nil
}

// A bench is one run of thriftbench.
type bench struct {
	options
	stdout io.Writer
	stderr command.Screen
	missed int // goals
}

// codec measures and reports the speed of the code.
func (b *bench) codec(ctx context.Context) error {
	m := &measurement{bench: b}
	if err := m.measure(ctx); err != nil {
		return err
	}
	if b.out != "" {
		if err := atomicfile.Write(b.out, m.writeBenchfmt); err != nil {
			return err
		}
	}
	if b.results != "" {
		r := m.results("thriftbench " + strings.Join(b.args, " "))
		if err := atomicfile.Write(b.results, r.Write); err != nil {
			return err
		}
	}
	return m.report()
}
