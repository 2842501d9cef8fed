package plan

import (
	"regexp"
	"strconv"
	"strings"
)

// MaxThreads is the most that a bound may have: Go itself ends a program with more
// threads than that.
const MaxThreads = 10_000

// threadsWord begins the line that bounds the whole program.
const threadsWord = "threads:"

// Word is the mode as it stands in a line: "leaf", "offload:8".
func (e Entry) Word() string {
	if e.Mode == Offload {
		return string(Offload) + ":" + strconv.Itoa(e.Threads)
	}
	return string(e.Mode)
}

func number(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= MaxThreads && text[0] != '+'
}

// threads reads the line "threads: 64".
func (p *parser) threads(words []word, comment string) {
	value := word{Text: strings.TrimPrefix(words[0].Text, threadsWord), Column: words[0].Column + len(threadsWord)}
	words = words[1:]
	if value.Text == "" && len(words) > 0 {
		value, words = words[0], words[1:]
	}
	n, ok := number(value.Text)
	switch {
	case !ok:
		p.Fail(value.Column, "%.40q is not a number of threads (from 1 to %d, as in threads: 64)", value.Text, MaxThreads)
	case len(words) > 0:
		p.Fail(words[0].Column, "threads: takes a number and nothing else")
	case p.plan.Threads != 0:
		p.Fail(0, "threads: already has a line, line %d", p.plan.ThreadsLine)
	default:
		p.plan.Threads, p.plan.ThreadsLine, p.plan.ThreadsComment = n, p.Line, comment
	}
}

// offload reads the mode offload:8.
func (p *parser) offload(e *Entry, w word) {
	text, hasNumber := strings.CutPrefix(w.Text, string(Offload)+":")
	n, ok := number(text)
	if !hasNumber || !ok {
		p.Fail(w.Column, "%.40q needs a number of threads (from 1 to %d, as in offload:8)", w.Text, MaxThreads)
	}
	e.Mode, e.Threads = Offload, n
}

var groupShape = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,39}$`) // it becomes a name in C

// bounded looks at what only lines of some modes may have, and whether the lines of a
// group agree.
func (p *parser) bounded(e *Entry, at word) {
	switch first, known := p.groups[e.Group]; {
	case e.Group != "" && e.Mode != Offload:
		p.Fail(at.Column, "group= is for offload, which this line is not")
	case e.Unbounded && e.Mode != Cgo:
		p.Fail(at.Column, "unbounded is for cgo: it excepts a function from threads:")
	case e.Stack != 0 && e.Mode != Park:
		p.Fail(at.Column, "stack= is for park: other functions have no stack of their own")
	case e.Closed && e.Mode == Park:
		p.Fail(at.Column, "closed is for leaf: it says that the function can't call Go")
	case e.Closed && e.Mode == Coro:
		p.Fail(at.Column, "closed is for leaf: it says that the function can't call Go")
	case e.Group == "":
	case !known && e.Threads > 0:
		p.groups[e.Group] = *e
	case known && first.Threads != e.Threads:
		p.Fail(at.Column, "group %s has offload:%d in line %d: its lines must agree", e.Group, first.Threads, first.Line)
	}
}
