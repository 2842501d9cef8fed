package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/table"
	"github.com/seamgo/seam/bench/thrift/hostile"
)

// verdict is what a result is called, from the best to the worst.
type verdict int

const (
	fine     verdict = iota // refused or accepted within the budget
	costly                  // more memory than the budget
	accepted                // not refused though it is malformed
	panicked
	died
)

var verdicts = [...]string{"fine", "costly", "accepted", "panics", "dies"}

// An ordeal is one input in the hands of one library.
type ordeal struct {
	hostile.Result
	lib, died string
	in        hostile.Input
	absent    bool // the library does not have the protocol
}

func (o ordeal) verdict() verdict {
	switch {
	case o.died != "":
		return died
	case o.Panics > 0:
		return panicked
	case !o.in.Valid && !o.in.Any && o.Refused < o.Messages:
		return accepted
	case o.Memory > hostile.Budget(o.Bytes):
		return costly
	}
	return fine
}

// hostile measures every input with every library and prints how they end.
func (b *bench) hostile(ctx context.Context) error {
	defer b.stderr.Say("")
	libs := hostile.Libraries()
	var all []ordeal
	for _, in := range hostile.Inputs {
		for _, lib := range libs {
			if !hostile.Reads(lib, in) {
				all = append(all, ordeal{lib: lib, in: in, absent: true})
				continue
			}
			b.stderr.Say("%s: %s", lib, in.Name)
			r, died, err := hostile.Process(ctx, lib, in)
			if err != nil {
				return err
			}
			all = append(all, ordeal{Result: r, lib: lib, died: died, in: in})
		}
	}
	b.stderr.Say("")
	fmt.Fprintf(b.stdout, "hostile: each input in a process of its own; fine: no more memory than 4 × the input + 64 KB\n"+
		"memory: of the costliest message; of a process that died, its growth. A flood is well formed and may be read.\n"+
		"seam-tight: with Limits.Amplify 4, a limit for well formed messages too\n\n")
	columns := []table.Column{{Head: "input"}}
	for _, lib := range libs {
		columns = append(columns, table.Column{Head: lib}, table.Column{Head: "memory", Right: true}, table.Column{Head: "time", Right: true})
	}
	var rows [][]table.Cell
	for i, in := range hostile.Inputs {
		row := []table.Cell{{Text: in.Name}}
		for _, o := range all[i*len(libs):][:len(libs)] {
			if o.absent {
				row = append(row, table.Cell{Text: "–", Tone: table.Faint}, table.Cell{}, table.Cell{})
				continue
			}
			v := o.verdict()
			memory, tone := o.Memory, table.Good
			if v == died {
				memory = o.Resident
			}
			if v != fine {
				tone = table.Bad
			}
			took := o.Longest
			if v == died {
				took = o.Elapsed
			}
			row = append(row, table.Cell{Text: verdicts[v], Tone: tone}, table.Cell{Text: table.Size(float64(memory))},
				table.Cell{Text: table.Duration(float64(took))})
		}
		rows = append(rows, row)
	}
	if err := table.Write(b.stdout, columns, rows); err != nil {
		return err
	}
	return b.explain(all)
}

// explain prints the words of each ordeal, the bad ones alone unless all are wanted,
// and counts the goals that we miss.
func (b *bench) explain(all []ordeal) error {
	var rows [][]table.Cell
	for _, o := range all {
		v := o.verdict()
		if o.missed() {
			b.missed++
		}
		if o.absent || v == fine && !b.verbose {
			continue
		}
		words := o.Outcome
		if o.died != "" {
			words = o.died
		}
		rows = append(rows, []table.Cell{{Text: o.lib}, {Text: o.in.Name}, {Text: verdicts[v]},
			{Text: fmt.Sprintf("%d of %d refused", o.Refused, o.Messages)}, {Text: words, Tone: table.Faint}})
	}
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(x, y []table.Cell) int {
		return slices.Index(hostile.Libraries(), x[0].Text) - slices.Index(hostile.Libraries(), y[0].Text)
	})
	fmt.Fprintln(b.stdout)
	return table.Write(b.stdout, []table.Column{{Head: "library"}, {Head: "input"}, {Head: ""}, {Head: "messages"}, {Head: "what it says"}}, rows)
}

// missed reports whether our goals are: nothing malformed costs more than the budget,
// and with the tight limit nothing well formed either. Recursion is refused quickly.
func (o ordeal) missed() bool {
	const quickly, little = time.Millisecond, 1 << 20
	if o.absent || o.lib != "seam" && o.lib != "seam-tight" {
		return false
	}
	if o.lib == "seam" && o.in.Valid {
		return o.verdict() > costly
	}
	return o.verdict() != fine ||
		strings.Contains(o.in.Name, "recursion") && (o.Longest > quickly || o.Memory > little)
}
