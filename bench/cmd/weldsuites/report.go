package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/seam"
	"github.com/seamgo/seam/bench/internal/table"
)

// differing is how many tests differ in all trials.
func differing(trials []*trial) int {
	n := 0
	for _, t := range trials {
		n += len(t.differ)
	}
	return n
}

// writeReport prints both sides of each trial, and the tests that are not alike.
func writeReport(w io.Writer, trials []*trial, list bool) error {
	columns := []table.Column{{Head: "suite"}, {Head: ""}, {Head: "welded", Right: true},
		{Head: "passed", Right: true}, {Head: "failed", Right: true}, {Head: "skipped", Right: true},
		{Head: "time", Right: true}, {Head: ""}}
	var rows [][]table.Cell
	for _, t := range trials {
		says, tone := "alike", table.Good
		if n := len(t.differ); n > 0 {
			says, tone = fmt.Sprintf("%d differ", n), table.Bad
		}
		if n := len(t.flaky); n > 0 {
			says += fmt.Sprintf(", %d flaky", n)
		}
		rows = append(rows,
			row(t.suite.name, "as it is", "", t.plain, "", table.Plain),
			row(t.condition, "welded", fmt.Sprint(t.welded), t.weld, says, tone))
	}
	if err := table.Write(w, columns, rows); err != nil {
		return err
	}
	for _, t := range trials {
		name := strings.TrimSpace(t.suite.name + " " + t.condition)
		for _, v := range t.differ {
			fmt.Fprintf(w, "\n%s: %v differs: %s as it is, %s welded", name, v.test, strings.Join(v.plain, " "), strings.Join(v.weld, " "))
		}
		if len(t.differ) > 0 {
			fmt.Fprintf(w, "\n%s, the end of what the welded tests printed:\n%s\n", name, seam.Tail(t.weld.printed, 40))
		}
		for _, v := range t.flaky {
			fmt.Fprintf(w, "\n%s: %v is flaky: %s as it is, %s welded\n", name, v.test, strings.Join(v.plain, " "), strings.Join(v.weld, " "))
		}
	}
	if !list {
		return nil
	}
	for _, t := range trials {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(t.suite.name+" "+t.condition))
		var rows [][]table.Cell
		for _, x := range everyTest(t.plain.outcomes, t.weld.outcomes) {
			a, b := t.plain.outcomes.of(x), t.weld.outcomes.of(x)
			tone := table.Plain
			if a != b {
				tone = table.Bad
			}
			rows = append(rows, []table.Cell{{Text: x.String()}, {Text: a}, {Text: b, Tone: tone}})
		}
		if err := table.Write(w, []table.Column{{Head: "test"}, {Head: "as it is"}, {Head: "welded"}}, rows); err != nil {
			return err
		}
	}
	return nil
}

func row(name, which, welded string, s side, says string, tone table.Tone) []table.Cell {
	pass, fail, skip := s.outcomes.count()
	return []table.Cell{{Text: name}, {Text: which}, {Text: welded}, {Text: fmt.Sprint(pass)}, {Text: fmt.Sprint(fail)},
		{Text: fmt.Sprint(skip)}, {Text: s.time.Round(100 * time.Millisecond).String(), Tone: table.Faint}, {Text: says, Tone: tone}}
}
