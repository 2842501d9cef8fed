package main

import (
	"os"
	"regexp"
	"strings"
)

// force changes all lines of a plan.
func force(plan string, change func(line string) string) error {
	text, err := os.ReadFile(plan)
	if err != nil {
		return err
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString(change(line))
	}
	return os.WriteFile(plan, []byte(b.String()), 0o666)
}

// leafLine makes a leaf of what weld would take as one.
func leafLine(line string) string {
	_, why, _ := strings.Cut(line, " # ")
	if rest, ok := strings.CutPrefix(line, "cgo "); ok && !strings.HasPrefix(why, "takes a C function pointer") && !strings.HasPrefix(why, "can't be welded") {
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
