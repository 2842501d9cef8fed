//go:build linux

// Command ringbench compares rings to another process in Go with shmipc-go and a Unix socket,
// in turns, with names as in seam lab ring.
//
//	go run ./bench/cmd/ringbench
//	go run ./bench/cmd/ringbench -size 1024 -rounds 100 -o FILE
//
// rtt-park is there and back, one after the other, where both sides sleep at once; rtt is how
// each is by default, with rate=100 and rate=1000 round trips that begin in a second;
// throughput is records that the other side has taken, 64 published together, or with
// batch=1 each. A round is some of each, in random order. -o writes what benchstat reads.
//
// It ends with code 2 if the command line is wrong and 3 if something can't be measured.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/atomicfile"
	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/table"
)

func main() {
	if len(os.Args) == 5 && os.Args[1] == peerRole {
		if err := servePeer(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, "ringbench: the other side:", err)
			os.Exit(command.Failed)
		}
		return
	}
	command.Main("ringbench", run)
}

// A way is a wire in use, with what was measured on it.
type way struct {
	op, via string
	wire    wire
	values  []float64 // ns a round trip, or a record
}

func (w *way) name(size int) string {
	return fmt.Sprintf("Ring/mode=xproc/peer=go/size=%d/op=%s/via=%s", size, w.op, w.via)
}

const (
	opPark       = "rtt-park"
	opTrip       = "rtt"
	opThroughput = "throughput"
	slice        = 50   // round trips in a row
	records      = 4096 // in a row
)

const help = `Usage: ringbench [flags]

Compares rings to another process in Go with shmipc-go and a Unix socket.

`

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	flags := command.Flags("ringbench", help, stderr)
	size := flags.Int("size", 64, "bytes in a record, from 8 to 65536")
	rounds := flags.Int("rounds", 40, "rounds")
	file := flags.String("o", "", "write the figures to this file, for benchstat")
	if err := command.Parse(flags, args); err != nil {
		return command.Usage, err
	}
	if *size < 8 || *size > 65536 || *rounds < 1 || flags.NArg() != 0 {
		return command.Usage, errors.New("want -size from 8 to 65536, -rounds from 1, and no arguments")
	}
	dir, err := os.MkdirTemp("", "ringbench")
	if err != nil {
		return command.Failed, err
	}
	defer os.RemoveAll(dir)
	var ways []*way
	defer func() {
		for _, w := range ways {
			w.wire.close()
		}
	}()
	add := func(op, via, kind string) error {
		w, err := connect(ctx, filepath.Join(dir, fmt.Sprint(len(ways))), op, kind, *size)
		if err != nil {
			return fmt.Errorf("%s: %w", via, err)
		}
		ways = append(ways, &way{op: op, via: via, wire: w})
		return nil
	}
	for _, kind := range kinds {
		for _, op := range []string{opPark, opTrip + "/rate=1000", opTrip + "/rate=100"} {
			if err := add(op, kind, kind); err != nil {
				return command.Failed, err
			}
		}
		if err := add(opThroughput, kind, kind); err != nil {
			return command.Failed, err
		}
		if kind != kindUnix { // which has no batches
			if err := add(opThroughput, kind+"/batch=1", kind); err != nil {
				return command.Failed, err
			}
		}
	}
	for range *rounds {
		rand.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		for _, w := range ways {
			if err := w.measure(); err != nil {
				return command.Failed, fmt.Errorf("%s: %w", w.name(*size), err)
			}
		}
	}
	slices.SortFunc(ways, func(a, b *way) int { return strings.Compare(a.op+a.via, b.op+b.via) })
	if *file != "" {
		if err := atomicfile.Write(*file, func(f io.Writer) error {
			_, err := io.WriteString(f, benchfmt(ways, *size))
			return err
		}); err != nil {
			return command.Failed, err
		}
	}
	return 0, report(stdout, ways, *size)
}

// measure is a way's part of a round.
func (w *way) measure() error {
	if w.op == opThroughput {
		together := 64
		if strings.HasSuffix(w.via, "/batch=1") {
			together = 1
		}
		before := time.Now()
		err := w.wire.send(records, together)
		w.values = append(w.values, float64(time.Since(before))/records)
		return err
	}
	n, apart := slice, time.Duration(0)
	switch {
	case strings.HasSuffix(w.op, "=1000"):
		n, apart = 20, time.Millisecond
	case strings.HasSuffix(w.op, "=100"):
		n, apart = 4, 10*time.Millisecond
	}
	for i := range n + 1 {
		time.Sleep(apart)
		before := time.Now()
		if err := w.wire.echo(); err != nil {
			return err
		}
		if i > 0 { // the first wakes what was idle
			w.values = append(w.values, float64(time.Since(before)))
		}
	}
	return nil
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1))]
}

func report(out io.Writer, ways []*way, size int) error {
	var rows [][]table.Cell
	for _, w := range ways {
		p50, p99 := quantile(w.values, 0.5), quantile(w.values, 0.99)
		rate := ""
		if w.op == opThroughput {
			rate = fmt.Sprintf("%.2f M/s", 1e3/p50)
		}
		rows = append(rows, []table.Cell{{Text: w.op}, {Text: w.via}, {Text: us(p50), Tone: table.Bold}, {Text: us(p99)}, {Text: rate}})
	}
	fmt.Fprintf(out, "Records of %d bytes to another process in Go.\n\n", size)
	return table.Write(out, []table.Column{{Head: "what"}, {Head: "through"}, {Head: "median", Right: true}, {Head: "p99", Right: true}, {Head: "records", Right: true}}, rows)
}

func us(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.0f ns", ns)
	}
	return fmt.Sprintf("%.1f µs", ns/1000)
}

func benchfmt(ways []*way, size int) string {
	var b strings.Builder
	for _, w := range ways {
		fmt.Fprintf(&b, "Benchmark%s %d %g ns/op %g p50-ns %g p99-ns\n", w.name(size), len(w.values), quantile(w.values, 0.5), quantile(w.values, 0.5), quantile(w.values, 0.99))
	}
	return b.String()
}

// startPeer starts the other side, which listens at the path when it says so.
func startPeer(ctx context.Context, path, op, kind string, size int) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// A process for each, as shmipc-go shares its threads between sessions.
	cmd := exec.CommandContext(ctx, self, peerRole, kind, op, fmt.Sprintf("%d:%s", size, path))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var ready [1]byte
	if _, err := io.ReadFull(out, ready[:]); err != nil {
		return nil, errors.Join(errors.New("the other side didn't start"), cmd.Wait())
	}
	return cmd, nil
}
