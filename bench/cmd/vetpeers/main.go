// Command vetpeers compares what seam vet, go vet, staticcheck, gosec and clang's analyzer
// find in the same mistakes: those in the tests of seam vet's rules, some of them rebuilt
// from public bugs, and beside each its good form.
//
//	go install honnef.co/go/tools/cmd/staticcheck@v0.8.2
//	go install github.com/securego/gosec/v2/cmd/gosec@v2.22.10
//	make build
//	go run ./bench/cmd/vetpeers -results docs/results/vetpeers.tsv
//
// A mistake counts as found by seam vet if its line is named, and by another tool if
// anything is said of the function that it is in: to the others' advantage. All that is said
// of good forms counts as false. Seam's own column is what its tests hold: it says nothing of
// mistakes that its authors haven't seen.
//
// It runs in the root of Seam's repository. A tool that isn't installed is left out, and
// named. It ends with code 1 if seam vet misses a mistake, 2 if the command line is
// wrong, 3 if a tool could not be run.
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seamgo/seam/bench/internal/atomicfile"
	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
	"github.com/seamgo/seam/bench/internal/table"
	"github.com/seamgo/seam/internal/results"
)

const usage = `Usage: vetpeers [flags]

Compares what seam vet and others find in the mistakes of seam vet's tests.

`

func main() { command.Main("vetpeers", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	f := command.Flags("vetpeers", usage, stderr)
	bin := f.String("seam", filepath.Join("bin", "seam"), "the seam to run")
	file := f.String("results", "", "write the table to this file too")
	if err := command.Parse(f, args); err != nil {
		return command.Usage, err
	}
	path, err := seam.Find(*bin)
	if err != nil {
		return command.Usage, err
	}
	cases, err := readCases(module, "internal/vet")
	if err != nil {
		return command.Failed, err
	}
	var columns []column
	var missing []string
	for _, t := range tools(path) {
		c, err := t.judge(ctx, cases)
		switch {
		case c.version == "":
			fmt.Fprintf(stderr, "vetpeers: without %s: %v\n", t.name, err)
			missing = append(missing, t.name)
		case err != nil:
			return command.Failed, fmt.Errorf("%s: %w", t.name, err)
		default:
			columns = append(columns, c)
		}
	}
	if err := show(stdout, cases, columns); err != nil {
		return command.Failed, err
	}
	if *file != "" {
		if err := atomicfile.Write(*file, result(cases, columns, missing).Write); err != nil {
			return command.Failed, err
		}
	}
	if n, all := columns[0].total(), total(cases); n < all {
		return command.Missed, fmt.Errorf("seam vet finds %d of the %d mistakes of its own tests", n, all)
	}
	return 0, nil
}

// A column is what a tool has said.
type column struct {
	tool, version string
	found         []int // of the mistakes of each case
	good          int   // findings in good forms
}

func (c column) total() (n int) {
	for _, f := range c.found {
		n += f
	}
	return n
}

func (t tool) judge(ctx context.Context, cases []form) (column, error) {
	c := column{tool: t.name}
	version, err := t.version(ctx)
	if err != nil {
		return c, err
	}
	c.version = version
	said, err := t.run(ctx, cases)
	if err != nil {
		return c, err
	}
	for _, one := range cases {
		n, good := one.judge(said, t.byLine)
		c.found = append(c.found, n)
		c.good += good
	}
	return c, nil
}

// total is how many mistakes there are.
func total(cases []form) (n int) {
	for _, c := range cases {
		n += len(c.mistakes)
	}
	return n
}

func show(w io.Writer, cases []form, columns []column) error {
	heads := []table.Column{{Head: "case"}, {Head: "mistakes", Right: true}}
	for _, c := range columns {
		heads = append(heads, table.Column{Head: c.tool, Right: true})
	}
	var rows [][]table.Cell
	row := func(tone table.Tone, name, n string, cell func(column) int) {
		cells := []table.Cell{{Text: name, Tone: tone}, {Text: n, Tone: tone}}
		for _, c := range columns {
			cells = append(cells, table.Cell{Text: strconv.Itoa(cell(c)), Tone: tone})
		}
		rows = append(rows, cells)
	}
	for i, one := range cases {
		row(table.Plain, one.name, strconv.Itoa(len(one.mistakes)), func(c column) int { return c.found[i] })
	}
	row(table.Bold, "all", strconv.Itoa(total(cases)), column.total)
	row(table.Bold, "findings in good forms", "", func(c column) int { return c.good })
	return table.Write(w, heads, rows)
}

func result(cases []form, columns []column, missing []string) results.Result {
	r := results.Here("vetpeers -results docs/results/vetpeers.tsv")
	var versions []string
	add := func(name, unit string, n int) { r.Add(name, unit, float64(n), float64(n), float64(n)) }
	for _, c := range columns {
		versions = append(versions, c.tool+" "+c.version)
		add(c.tool, "found", c.total())
		add(c.tool, "in good forms", c.good)
		for i, n := range c.found {
			if n > 0 {
				add(c.tool+"/"+cases[i].name, "found", n)
			}
		}
	}
	add("all", "mistakes", total(cases))
	for _, one := range cases {
		add(one.name, "mistakes", len(one.mistakes))
	}
	r.Set("tools", strings.Join(versions, "; "))
	if len(missing) > 0 {
		r.Set("without", strings.Join(missing, ", "))
	}
	return r
}
