package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
)

// force changes all lines of a plan but those that refused names, which says what weld has
// against the changed plan.
func force(plan string, change func(line string) string, refused func() ([]byte, error)) error {
	text, err := os.ReadFile(plan)
	if err != nil {
		return err
	}
	write := func(keep map[int]bool) error {
		return os.WriteFile(plan, []byte(forced(string(text), change, keep)), 0o666)
	}
	if err := write(nil); err != nil {
		return err
	}
	said, err := refused()
	if keep := refusedLines(said); len(keep) > 0 {
		return write(keep)
	}
	return err
}

func forced(text string, change func(line string) string, keep map[int]bool) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; keep[n] {
			b.WriteString(line)
		} else {
			b.WriteString(change(line))
		}
	}
	return b.String()
}

// A function that takes a C function pointer is no leaf, which the plan says only where nothing
// else is against it.
var refusal = regexp.MustCompile(`\.plan:(\d+): \S+: it takes a C function pointer`)

// refusedLines are the lines of the plan that weld refuses, by what it says.
func refusedLines(said []byte) map[int]bool {
	lines := map[int]bool{}
	for _, m := range refusal.FindAllSubmatch(said, -1) {
		if n, err := strconv.Atoi(string(m[1])); err == nil {
			lines[n] = true
		}
	}
	return lines
}

// leafLine makes a leaf of what weld would take as one, as far as the plan says.
func leafLine(line string) string {
	_, why, _ := strings.Cut(line, " # ")
	if rest, ok := strings.CutPrefix(line, "cgo "); ok && !strings.HasPrefix(why, "can't be welded") {
		return "leaf " + rest
	}
	return line
}

// parkLine parks all but malloc, and what is never parked.
func parkLine(line string) string {
	coro := coroLine(line)
	rest, ok := strings.CutPrefix(coro, "coro ")
	if !ok {
		return line
	}
	return "park " + budgetWord.ReplaceAllString(rest, "")
}

var budgetWord = regexp.MustCompile(` (budget|allow)=\S+`)

var closedWord = regexp.MustCompile(` closed\b`)

// coroLine makes a coro line of all but malloc's, which calls no Go.
func coroLine(line string) string {
	options, why, _ := strings.Cut(line, " # ")
	mode, rest, _ := strings.Cut(options, " ")
	if mode != "cgo" && mode != "leaf" || strings.Contains(rest, "._CMalloc ") || strings.HasPrefix(why, "can't be welded") {
		return line
	}
	return "coro " + closedWord.ReplaceAllString(strings.TrimRight(rest, "\n"), "") + "\n"
}
