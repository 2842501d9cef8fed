//go:build unix

// Command kitexbench compares Kitex with seam's codec and with its own FastCodec, in turns.
//
//	go run ./bench/cmd/kitexbench
//	go run ./bench/cmd/kitexbench -rounds 20 -callers 16
//
// A round has two fresh processes, one for each codec, in both of which a Kitex server and a
// Kitex client talk over loopback: the same handler, an order of so many items there and
// back. They take turns, ours, theirs, theirs, ours, a fifth of a second each, so that what
// disturbs the machine disturbs both. A round is one observation: its calls a second, the
// 99th percentile of all its calls and the processor's time of each.
//
// It ends with code 1 if a goal is missed, 2 if the command line is wrong, 3 if something
// can't be measured.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/table"
)

// peerRole is the first argument of a process that serves and calls; the second is its codec.
const peerRole = "serve-and-call"

func main() {
	if len(os.Args) == 3 && os.Args[1] == peerRole {
		if err := peer(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "kitexbench:", os.Args[2]+":", err)
			os.Exit(command.Failed)
		}
		return
	}
	command.Main("kitexbench", run)
}

const help = `Usage: kitexbench [flags]

Compares Kitex with seam's codec and with its own FastCodec, in turns.

`

// codecs are those that are compared.
var codecs = []string{seam, fastCodec}

// A column is what a round says of one size.
type column struct {
	items                int
	throughput, p99, cpu []float64 // the logarithms of ours to theirs, a round each
	rates, tails, cost   [2][]float64
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, err error) {
	flags := command.Flags("kitexbench", help, stderr)
	rounds := flags.Int("rounds", 12, "rounds")
	turns := flags.Int("turns", 12, "turns of each codec in a round, an even number")
	slice := flags.Duration("slice", 200*time.Millisecond, "how long a turn is")
	callers := flags.Int("callers", 16, "goroutines that call")
	if err := command.Parse(flags, args); err != nil {
		return command.Usage, err
	}
	if *rounds < 1 || *turns < 2 || *turns%2 != 0 || *slice < time.Millisecond || *callers < 1 || flags.NArg() != 0 {
		return command.Usage, errors.New("want -rounds from 1, an even number of -turns from 2, -slice from 1ms, -callers from 1, and no arguments")
	}
	screen := command.Screen{Writer: stderr}
	columns := []*column{{items: 2}, {items: 50}}
	for n := range *rounds {
		screen.Say("round %d of %d", n+1, *rounds)
		if err := round(ctx, columns, *turns, job{Callers: *callers, For: *slice}); err != nil {
			return command.Failed, err
		}
	}
	screen.Say("")
	missed, err := report(stdout, columns, *callers)
	switch {
	case err != nil:
		return command.Failed, err
	case missed > 0:
		return command.Missed, fmt.Errorf("%d goals are missed", missed)
	}
	return 0, nil
}

// round starts a process for each codec and lets them take turns.
func round(ctx context.Context, columns []*column, turns int, j job) (err error) {
	var peers [2]*process
	for i, codec := range codecs {
		if peers[i], err = start(ctx, codec); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, peers[i].end()) }()
	}
	for _, c := range columns {
		j.Items = c.items
		var sums [2]result
		for t := range turns + 1 {
			order := []int{0, 1}
			if t%2 == 1 {
				order = []int{1, 0}
			}
			for _, i := range order {
				r, err := peers[i].do(j)
				if err != nil {
					return fmt.Errorf("%s: %w", codecs[i], err)
				}
				if t > 0 { // the first is for warmth
					sums[i].add(r)
				}
			}
		}
		for i := range sums {
			slices.Sort(sums[i].Took)
			c.rates[i] = append(c.rates[i], sums[i].rate())
			c.tails[i] = append(c.tails[i], sums[i].p99())
			c.cost[i] = append(c.cost[i], sums[i].cpu())
		}
		c.throughput = append(c.throughput, math.Log(sums[0].rate()/sums[1].rate()))
		c.p99 = append(c.p99, math.Log(sums[0].p99()/sums[1].p99()))
		c.cpu = append(c.cpu, math.Log(sums[0].cpu()/sums[1].cpu()))
	}
	return nil
}

func report(w io.Writer, columns []*column, callers int) (missed int, err error) {
	fmt.Fprintf(w, "Kitex's server and client with seam's codec, to the same with FastCodec; an order there and back, %d callers.\n\n", callers)
	var rows [][]table.Cell
	for _, c := range columns {
		for _, x := range []struct {
			what  string
			logs  []float64
			each  [2][]float64
			unit  string
			least bool // the ratio is to be 1 at least, or else at most
			goal  bool
		}{
			{"calls/s", c.throughput, c.rates, "%.0f", true, true},
			{"p99 µs", c.p99, c.tails, "%.0f", false, true},
			{"processor's time µs", c.cpu, c.cost, "%.1f", false, false},
		} {
			r := paired.Of(x.logs)
			said := table.Cell{}
			if x.goal {
				said = table.Cell{Text: "neither proven", Tone: table.Faint}
				good, bad := r.Hi <= 1, r.Lo > 1
				if x.least {
					good, bad = r.Lo >= 1, r.Hi < 1
				}
				switch {
				case good:
					said = table.Cell{Text: "reached", Tone: table.Good}
				case bad:
					said = table.Cell{Text: "missed", Tone: table.Bad}
					missed++
				}
			}
			rows = append(rows, []table.Cell{{Text: fmt.Sprintf("%d items: %s", c.items, x.what)},
				{Text: fmt.Sprintf(x.unit, paired.Median(x.each[0]))}, {Text: fmt.Sprintf(x.unit, paired.Median(x.each[1]))},
				{Text: r.String(), Tone: table.Bold}, {Text: r.Interval(), Tone: table.Faint}, said})
		}
	}
	return missed, table.Write(w, []table.Column{{Head: "what"}, {Head: "seam", Right: true}, {Head: "FastCodec", Right: true},
		{Head: "ratio", Right: true}, {Head: "interval", Right: true}, {Head: ""}}, rows)
}
