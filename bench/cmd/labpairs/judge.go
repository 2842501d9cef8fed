package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/bench/internal/seam"
)

// A tally is how often what happened.
type tally struct {
	pairs  int
	called []string // rows of equal programs that were called slower, each with its pair
	exits  int      // pairs with code 1
	found  []found  // of the rows that were slowed down
}

type found struct {
	row          string
	times, pairs int
}

// Missed is how many goals are missed.
func (t tally) missed(mode string) (n int) {
	if 30*t.exits > max(t.pairs, 30) {
		n++
	}
	for _, f := range t.found {
		if mode != "quick" && 10*f.times < 9*f.pairs {
			n++
		}
	}
	return n
}

func (t tally) String() string {
	text := fmt.Sprintf("%d of %d pairs called slower", t.exits, t.pairs)
	for _, f := range t.found {
		text += fmt.Sprintf("; %s slowed down: named in %d of %d", f.row, f.times, f.pairs)
	}
	for _, c := range t.called {
		text += "\n\t" + c
	}
	return text
}

// judge compares each run with each, as it is and slowed down.
func (o options) judge(ctx context.Context, p seam.Project, files []string, format string) (tally, error) {
	var t tally
	for _, row := range o.slow {
		if has, err := holds(files[0]+"."+format, format, row); err != nil {
			return t, err
		} else if has {
			t.found = append(t.found, found{row: row})
		}
	}
	for _, old := range files {
		for _, new := range files {
			if old == new {
				continue
			}
			t.pairs++
			slower, err := compare(ctx, p, old+"."+format, new+"."+format)
			if err != nil {
				return t, err
			}
			if len(slower) > 0 {
				t.exits++
				for _, s := range slower {
					t.called = append(t.called, fmt.Sprintf("%s %s: %s", filepath.Base(old), filepath.Base(new), s))
				}
			}
			for i := range t.found {
				f := &t.found[i]
				changed := filepath.Join(o.work, "slowed."+format)
				if err := slowDown(new+"."+format, changed, format, f.row, 1+o.by); err != nil {
					return t, err
				}
				slower, err := compare(ctx, p, old+"."+format, changed)
				if err != nil {
					return t, err
				}
				f.pairs++
				if slices.ContainsFunc(slower, func(s string) bool { return strings.HasPrefix(s, f.row+" (") }) {
					f.times++
				}
			}
		}
	}
	return t, nil
}

// compare returns what is said of the rows that are called slower.
func compare(ctx context.Context, p seam.Project, old, new string) ([]string, error) {
	out, err := p.Run(ctx, []string{p.Seam, "lab", "compare", old, new})
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &exit) || exit.ExitCode() != 1:
		return nil, err
	}
	_, list, _ := strings.Cut(string(out), "Proven to be slower")
	_, list, _ = strings.Cut(list, "\n")
	var rows []string
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "  ") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("seam lab compare %s %s: code 1, and no row is named", old, new)
	}
	return rows, nil
}
