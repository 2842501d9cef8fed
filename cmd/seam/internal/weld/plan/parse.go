package plan

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/wordlines"
)

// Version is the version of the format, in the first line of a file.
const Version = 1

const (
	maxSize = 16 << 20 // a plan for 100,000 functions
)

// Limits of a budget. Below them, reading the clock would exceed it; above, a
// garbage collection would have to wait longer than any leaf may make it.
const (
	MinBudget = 100 * time.Nanosecond
	MaxBudget = 100 * time.Millisecond
)

var format = wordlines.Format{Name: "seam.plan", Version: Version, Again: " (make the plan again with seam plan)", Most: maxSize, What: "not a plan"}

// Load reads the plan in a file.
func Load(name string) (*Plan, error) {
	src, err := format.Load(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, src)
}

// Parse reads a plan; name is for messages. The error has a line for each of
// the first mistakes, with file, line and column (counted in bytes).
func Parse(name string, src []byte) (*Plan, error) {
	p := &parser{Reader: wordlines.Reader{Name: name}, plan: &Plan{Name: name}, lines: map[string]int{}, groups: map[string]Entry{}}
	format.Read(&p.Reader, src, p.line)
	if len(src) > maxSize {
		return nil, p.Err()
	}
	return p.plan, p.Err()
}

type parser struct {
	wordlines.Reader
	plan   *Plan
	lines  map[string]int   // where a function's line is
	groups map[string]Entry // the first line of each group
}

type word = wordlines.Word

func (p *parser) line(rest string, words []word, comment string) {
	if strings.HasPrefix(words[0].Text, threadsWord) {
		p.threads(words, comment)
		return
	}
	if strings.HasPrefix(words[0].Text, trimWord) {
		p.trim(words, comment)
		return
	}
	e := Entry{Comment: comment, Line: p.Line, Budget: DefaultBudget, Allow: DefaultAllow}
	before := len(p.Errs)
	p.mode(&e, words[0])
	if len(words) == 1 {
		p.Fail(len(rest), "a function is missing: MODE IMPORTPATH.FUNCTION [OPTIONS]")
		return
	}
	p.path(&e, words[1])
	p.options(&e, words[2:])
	p.bounded(&e, words[1])
	p.helper(&e, words[1:])
	if len(p.Errs) > before {
		return
	}
	if first, twice := p.lines[e.Path()]; twice {
		p.Fail(words[1].Column, "%s already has a line, line %d", e.Path(), first)
		return
	}
	p.lines[e.Path()] = p.Line
	p.plan.Entries = append(p.plan.Entries, e)
}

func (p *parser) mode(e *Entry, w word) {
	switch e.Mode = Mode(w.Text); e.Mode {
	case Leaf, Coro, Park, Cgo, View, Reuse:
		return
	}
	if name, _, _ := strings.Cut(w.Text, ":"); name == string(Offload) {
		p.offload(e, w)
		return
	}
	p.Fail(w.Column, "%.40q is not a mode (leaf, coro, park, cgo, view, reuse or offload:8)%s", w.Text, wordlines.Meant(w.Text, []string{string(Leaf), string(Coro), string(Park), string(Cgo), string(View), string(Reuse), string(Offload), threadsWord, trimWord}))
}

var identifier = regexp.MustCompile(`^[\pL_$][\pL\p{Nd}_$]*$`)

func (p *parser) path(e *Entry, w word) {
	dot := strings.LastIndexByte(w.Text, '.')
	if dot <= 0 || !identifier.MatchString(w.Text[dot+1:]) {
		p.Fail(w.Column, "%.200q is not a function (want IMPORTPATH.FUNCTION, such as example.com/m/pkg.c_function)", w.Text)
		return
	}
	e.Package, e.Func = w.Text[:dot], w.Text[dot+1:]
}

var (
	signature = regexp.MustCompile(`^[0-9a-f]{8}$`)
	options   = []string{"sig", "budget", "allow", "group", "stack", "closed", "unbounded", "keep"}
	flags     = []string{"closed", "unbounded", "keep"} // options without a value
)

func (p *parser) options(e *Entry, words []word) {
	seen := map[string]bool{}
	for _, w := range words {
		name, value, hasValue := strings.Cut(w.Text, "=")
		at := w.Column + len(name) + 1
		if seen[name] {
			p.Fail(w.Column, "%.40s= appears twice in this line", name)
			continue
		}
		seen[name] = true
		if flag := slices.Contains(flags, name); hasValue == flag && slices.Contains(options, name) {
			if hasValue {
				p.Fail(at-1, "%s takes no value", name)
			} else {
				p.Fail(w.Column, "%s needs a value (%s)", name, example[name])
			}
			continue
		}
		switch name {
		case "closed":
			e.Closed = true
		case "unbounded":
			e.Unbounded = true
		case "keep":
			e.Keep = true
		case "group":
			if !groupShape.MatchString(value) {
				p.Fail(at, "%.40q is not the name of a group (letters, digits and _)", value)
			}
			e.Group = value
		case "stack":
			n, ok := parseStack(value)
			if !ok {
				p.Fail(at, "%.40q is not the size of a stack (from %dKiB to %dMiB, such as 256KiB)", value, MinStack>>10, MaxStack>>20)
			}
			e.Stack = n
		case "sig":
			if !signature.MatchString(value) {
				p.Fail(at, "%.40q is not a signature (eight hexadecimal digits, as seam plan writes them)", value)
			}
			e.Sig = value
		case "budget":
			d, err := time.ParseDuration(value)
			if err != nil || d < MinBudget || d > MaxBudget {
				p.Fail(at, "%.40q is not a budget (a time from %v to %v, such as 20us)", value, MinBudget, MaxBudget)
			}
			e.Budget = d
		case "allow":
			share, err := parseShare(value)
			if err != nil {
				p.Fail(at, "%.40q is not a share of calls (from 0 to 1, or 0%% to 100%%)", value)
			}
			e.Allow = share
		default:
			p.Fail(w.Column, "unknown option %.40q%s", name, wordlines.Meant(name, options))
		}
	}
}

var example = map[string]string{"sig": "sig=1f9c03aa", "budget": "budget=20us", "allow": "allow=1%", "group": "group=db", "stack": "stack=256KiB"}

func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, errors.New("out of range")
	}
	return v + 0, nil // never the negative zero
}
