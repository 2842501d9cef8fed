package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
)

// Version is the version of the format, in the first line of a file.
const Version = 1

const (
	maxSize   = 16 << 20 // a plan for 100,000 functions
	maxErrors = 10       // reported at once
)

// Limits of a budget. Below them, reading the clock would exceed it; above, a
// garbage collection would have to wait longer than any leaf may make it.
const (
	MinBudget = 100 * time.Nanosecond
	MaxBudget = 100 * time.Millisecond
)

// Load reads the plan in a file.
func Load(name string) (*Plan, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	return Parse(name, src)
}

// Parse reads a plan; name is for messages. The error has a line for each of
// the first mistakes, with file, line and column (counted in bytes).
func Parse(name string, src []byte) (*Plan, error) {
	if len(src) > maxSize {
		return nil, fmt.Errorf("%s: larger than %d MB: this is not a plan", name, maxSize>>20)
	}
	p := &parser{plan: &Plan{Name: name}, lines: map[string]int{}, groups: map[string]Entry{}}
	for line := range bytes.Lines(bytes.TrimPrefix(src, []byte("\ufeff"))) { // some editors begin UTF-8 with a mark
		p.number++
		p.line(string(bytes.TrimRight(line, "\r\n")))
		if len(p.errs) > maxErrors {
			p.errs = append(p.errs[:maxErrors], fmt.Errorf("%s: too many mistakes: the rest are not listed", name))
			break
		}
	}
	return p.plan, errors.Join(p.errs...)
}

type parser struct {
	plan   *Plan
	number int
	lines  map[string]int   // where a function's line is
	groups map[string]Entry // the first line of each group
	errs   []error
}

func (p *parser) fail(column int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d:%d: %s", p.plan.Name, p.number, column+1, fmt.Sprintf(format, args...)))
}

// word is a part of a line and where it begins.
type word struct {
	text   string
	column int
}

var (
	header      = regexp.MustCompile(`^# seam\.plan (\S+)`)
	commentMark = regexp.MustCompile(`(?:^|[ \t])#`)
	wordShape   = regexp.MustCompile(`[^ \t]+`)
)

func (p *parser) line(text string) {
	if m := header.FindStringSubmatch(text); m != nil && p.number == 1 && m[1] != strconv.Itoa(Version) {
		p.fail(len("# seam.plan "), "version %.20q of the format; this seam knows version %d (make the plan again with seam plan)", m[1], Version)
		return
	}
	for i, r := range text {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\t' {
			p.fail(i, "a character that isn't text (%U)", r)
			return
		}
	}
	rest, comment := text, ""
	if at := commentMark.FindStringIndex(text); at != nil {
		rest, comment = text[:at[1]-1], text[at[1]:]
	}
	words := split(rest)
	if len(words) == 0 {
		return
	}
	if strings.HasPrefix(words[0].text, threadsWord) {
		p.threads(words, strings.TrimSpace(comment))
		return
	}
	e := Entry{Comment: strings.TrimSpace(comment), Line: p.number, Budget: DefaultBudget, Allow: DefaultAllow}
	before := len(p.errs)
	p.mode(&e, words[0])
	if len(words) == 1 {
		p.fail(len(rest), "a function is missing: MODE IMPORTPATH.FUNCTION [OPTIONS]")
		return
	}
	p.path(&e, words[1])
	p.options(&e, words[2:])
	p.bounded(&e, words[1])
	if len(p.errs) > before {
		return
	}
	if first, twice := p.lines[e.Path()]; twice {
		p.fail(words[1].column, "%s already has a line, line %d", e.Path(), first)
		return
	}
	p.lines[e.Path()] = p.number
	p.plan.Entries = append(p.plan.Entries, e)
}

func split(text string) []word {
	var words []word
	for _, at := range wordShape.FindAllStringIndex(text, -1) {
		words = append(words, word{text[at[0]:at[1]], at[0]})
	}
	return words
}

func (p *parser) mode(e *Entry, w word) {
	switch e.Mode = Mode(w.text); e.Mode {
	case Leaf, Coro, Park, Cgo:
		return
	}
	if name, _, _ := strings.Cut(w.text, ":"); name == string(Offload) {
		p.offload(e, w)
		return
	}
	p.fail(w.column, "%.40q is not a mode (leaf, coro, park, cgo or offload:8)%s", w.text, meant(w.text, []string{string(Leaf), string(Coro), string(Park), string(Cgo), string(Offload), threadsWord}))
}

var identifier = regexp.MustCompile(`^[\pL_$][\pL\p{Nd}_$]*$`)

func (p *parser) path(e *Entry, w word) {
	dot := strings.LastIndexByte(w.text, '.')
	if dot <= 0 || !identifier.MatchString(w.text[dot+1:]) {
		p.fail(w.column, "%.200q is not a function (want IMPORTPATH.FUNCTION, such as example.com/m/pkg.c_function)", w.text)
		return
	}
	e.Package, e.Func = w.text[:dot], w.text[dot+1:]
}

var (
	signature = regexp.MustCompile(`^[0-9a-f]{8}$`)
	options   = []string{"sig", "budget", "allow", "group", "stack", "closed", "unbounded", "keep"}
	flags     = []string{"closed", "unbounded", "keep"} // options without a value
)

func (p *parser) options(e *Entry, words []word) {
	seen := map[string]bool{}
	for _, w := range words {
		name, value, hasValue := strings.Cut(w.text, "=")
		at := w.column + len(name) + 1
		if seen[name] {
			p.fail(w.column, "%.40s= appears twice in this line", name)
			continue
		}
		seen[name] = true
		if flag := slices.Contains(flags, name); hasValue == flag && slices.Contains(options, name) {
			if hasValue {
				p.fail(at-1, "%s takes no value", name)
			} else {
				p.fail(w.column, "%s needs a value (%s)", name, example[name])
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
				p.fail(at, "%.40q is not the name of a group (letters, digits and _)", value)
			}
			e.Group = value
		case "stack":
			n, ok := parseStack(value)
			if !ok {
				p.fail(at, "%.40q is not the size of a stack (from %dKiB to %dMiB, such as 256KiB)", value, MinStack>>10, MaxStack>>20)
			}
			e.Stack = n
		case "sig":
			if !signature.MatchString(value) {
				p.fail(at, "%.40q is not a signature (eight hexadecimal digits, as seam plan writes them)", value)
			}
			e.Sig = value
		case "budget":
			d, err := time.ParseDuration(value)
			if err != nil || d < MinBudget || d > MaxBudget {
				p.fail(at, "%.40q is not a budget (a time from %v to %v, such as 20us)", value, MinBudget, MaxBudget)
			}
			e.Budget = d
		case "allow":
			share, err := parseShare(value)
			if err != nil {
				p.fail(at, "%.40q is not a share of calls (from 0 to 1, or 0%% to 100%%)", value)
			}
			e.Allow = share
		default:
			p.fail(w.column, "unknown option %.40q%s", name, meant(name, options))
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

// meant is "; did you mean leaf?" where something is near enough.
func meant(text string, names []string) string {
	if len(text) > 40 {
		return ""
	}
	if near := nearest.Names(text, names); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}
