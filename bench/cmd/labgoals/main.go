// Command labgoals says which of Seam's own goals a run of the lab reaches.
//
//	bin/seam lab --full --json run.json call payload ring
//	go run ./bench/cmd/labgoals run.json
//
// Goals whose series were not measured are left out. It ends with code 1 if a goal is
// missed, 2 if the command line is wrong, 3 if the file can't be read or has no goal's
// series.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seamgo/seam/bench/internal/table"
)

// The exit codes.
const (
	exitMissed = 1
	exitUsage  = 2
	exitFailed = 3
)

func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "labgoals:", err)
	}
	os.Exit(code)
}

func run(args []string, stdout io.Writer) (code int, err error) {
	if len(args) != 1 {
		return exitUsage, errors.New("want one file that seam lab --json wrote")
	}
	m, err := read(args[0])
	if err != nil {
		return exitFailed, err
	}
	var rows [][]table.Cell
	goalsIn, missed := 0, 0
	for _, g := range goals {
		f, ok := g.measured(m)
		if !ok {
			continue
		}
		said, wanted := table.Cell{Text: "reached", Tone: table.Good}, "≤"+g.write(g.most)
		switch lo, hi := f.ends(); {
		case g.most == nothing:
			said, wanted = table.Cell{}, ""
		case lo > g.most:
			said = table.Cell{Text: "missed", Tone: table.Bad}
			missed++
		case hi > g.most:
			said = table.Cell{Text: "neither proven", Tone: table.Faint}
		}
		if g.most != nothing {
			goalsIn++
		}
		rows = append(rows, []table.Cell{{Text: g.what}, {Text: wanted, Tone: table.Faint},
			{Text: g.write(f.value), Tone: table.Bold}, {Text: g.interval(f), Tone: table.Faint}, said})
	}
	if goalsIn == 0 {
		return exitFailed, fmt.Errorf("%s has none of the series that goals are about: those of the experiments call, payload and ring", args[0])
	}
	if err := table.Write(stdout, []table.Column{{Head: "goal"}, {Head: "wanted", Right: true}, {Head: "measured", Right: true},
		{Head: "interval", Right: true}, {Head: ""}}, rows); err != nil {
		return exitFailed, err
	}
	if missed > 0 {
		return exitMissed, fmt.Errorf("%d of %d goals are missed", missed, goalsIn)
	}
	return 0, nil
}

// read reads what docs/lab-json.md describes, as far as goals need it.
func read(path string) (*measurement, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Schema      string
		Experiments []measurement
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if file.Schema != schema {
		return nil, fmt.Errorf("%s: schema is %q, want %q", path, file.Schema, schema)
	}
	all := new(measurement)
	for _, e := range file.Experiments {
		all.Series = append(all.Series, e.Series...)
		all.Comparisons = append(all.Comparisons, e.Comparisons...)
	}
	return all, nil
}
