//go:build linux

// Command heapbench measures seam heap beside heaptrack and the heap profilers of jemalloc and gperftools,
// on the same programs: what each costs, and whether it finds the bytes that each site holds.
//
//	go run ./bench/cmd/heapbench
//	go run ./bench/cmd/heapbench -rounds 10 -results docs/results/heap.tsv
//
// A profiler that isn't installed is left out, and the results say so. Each is compared with the program as
// it is, those of jemalloc and gperftools with the program on that allocator without a profile. A round runs
// both twice, in turns; one that takes ten times as long is run in one round only. Times are those of the
// processor that the thread took that did the work.
//
// It ends with code 1 if seam heap's bytes are not the truth within its sampling's own spread.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seamgo/seam/bench/internal/atomicfile"
	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
)

const help = `heapbench measures seam heap beside other heap profilers.

	heapbench [-rounds 10] [-results FILE]

`

type options struct {
	seam, work, results string
	rounds              int
	verbose             bool
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := command.Flags("heapbench", help, stderr)
	f.StringVar(&o.seam, "seam", filepath.Join("bin", "seam"), "the seam to run")
	f.IntVar(&o.rounds, "rounds", 5, "rounds; in each, a program runs twice with a profiler and twice without")
	f.StringVar(&o.work, "work", "", "keep the program and the profiles in this folder")
	f.StringVar(&o.results, "results", "", "write overheads and bytes to this file of docs/results")
	f.BoolVar(&o.verbose, "v", false, "show the commands that are run")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.rounds < 1 {
		return o, errors.New("-rounds must be above zero")
	}
	return o, nil
}

func main() { command.Main("heapbench", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return command.Usage, err
	}
	tool, err := seam.Find(o.seam)
	if err != nil {
		return command.Usage, err
	}
	work, remove, err := command.Workspace(o.work, "heapbench")
	if err != nil {
		return command.Usage, err
	}
	defer remove()
	m := &measurement{rounds: o.rounds, seam: tool, work: work, stderr: command.Screen{Writer: stderr}, before: load()}
	if o.verbose {
		m.log = stderr
	}
	if err := m.measure(ctx); err != nil {
		return command.Failed, err
	}
	if o.results != "" {
		r := m.results(strings.TrimSpace("heapbench " + strings.Join(args, " ")))
		if err := atomicfile.Write(o.results, r.Write); err != nil {
			return command.Failed, err
		}
	}
	if err := m.report(stdout); err != nil {
		return command.Failed, err
	}
	if wrong := m.wrong(); len(wrong) > 0 {
		return command.Missed, fmt.Errorf("seam heap is wrong: %s", strings.Join(wrong, "; "))
	}
	return 0, nil
}

// load is the machine's, of the last minute.
func load() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64)
	return v
}
