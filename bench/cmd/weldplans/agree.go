package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// lines are those of a plan: how each function is called, and why.
type lines map[string]line

type line struct{ mode, why string }

// read reads a plan. A line has a mode, a function, options and a comment.
func read(plan string) lines {
	all := lines{}
	for text := range strings.Lines(plan) {
		words, why, _ := strings.Cut(strings.TrimSpace(text), " # ")
		if f := strings.Fields(words); len(f) >= 2 && f[0] != "#" {
			all[f[1]] = line{f[0], why}
		}
	}
	return all
}

// An agreement says on which functions plans differ.
type agreement struct {
	plans, functions int
	differ           map[string]map[string][]string // the reasons, by function and mode
	pairs            float64                        // the share of lines that are the same in two plans, on average
}

func compare(plans []lines) agreement {
	a := agreement{plans: len(plans), differ: map[string]map[string][]string{}}
	all := map[string]map[string][]string{}
	for _, p := range plans {
		for f, l := range p {
			if all[f] == nil {
				all[f] = map[string][]string{}
			}
			all[f][l.mode] = append(all[f][l.mode], l.why)
		}
	}
	a.functions = len(all)
	same, pairs := 0, 0
	for i, p := range plans {
		for _, q := range plans[:i] {
			pairs += len(all)
			for f := range all {
				if p[f].mode == q[f].mode {
					same++
				}
			}
		}
	}
	a.pairs = float64(same) / float64(max(1, pairs))
	for f, modes := range all {
		if len(modes) > 1 {
			a.differ[f] = modes
		}
	}
	return a
}

// share is that of the functions on which all plans agree.
func (a agreement) share() float64 {
	if a.functions == 0 {
		return 0
	}
	return 1 - float64(len(a.differ))/float64(a.functions)
}

func (a agreement) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d plans of %d functions agree on %d of them (%.1f %%), two plans on %.1f %%\n", a.plans, a.functions, a.functions-len(a.differ), 100*a.share(), 100*a.pairs)
	for _, f := range slices.Sorted(maps.Keys(a.differ)) {
		fmt.Fprintf(&b, "\n%s\n", f)
		for _, mode := range slices.Sorted(maps.Keys(a.differ[f])) {
			whys := a.differ[f][mode]
			fmt.Fprintf(&b, "\t%s in %d, as in: %s\n", mode, len(whys), whys[0])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
