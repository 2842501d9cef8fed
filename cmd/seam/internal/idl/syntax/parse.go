package syntax

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// maxErrors is how many mistakes of a file are shown, and how many
	// warnings. With more than that it is a file of something else.
	maxErrors = 50
	// maxDepth is how deep types and values may be nested.
	maxDepth = 100
)

// Parse reads a file. The file is never nil: it holds what could be
// understood, with the broken definitions and fields left out.
func Parse(path string, src []byte) (*File, Errors) {
	p := &parser{file: &File{Path: path}}
	p.lex = newLexer(src, p.fail)
	p.advance()
	p.parseFile()
	p.takeTail()
	p.fbthrift(src)
	slices.SortStableFunc(p.errs, func(a, b *Error) int { return a.Pos.Compare(b.Pos) })
	return p.file, p.errs
}

// A parser reads one file by recursive descent. A parse function that
// returns false has reported a mistake and left the token where it is; the
// loops over definitions and members continue at the next one.
type parser struct {
	file   *File
	lex    *lexer
	tok    token   // the next one
	ahead  []token // those after it that somebody had to look at
	scopes []scope // the nodes with comments that are being read, innermost last
	depth  int     // of types or values inside each other
	open   int     // brackets that were read and not yet closed

	errs             Errors
	failed, warnings int
	failedAt         Pos  // of the mistake last reported
	started          bool // the first node has begun
	separated        bool // the last node ended with a separator
	closedOn         int  // the line of the bracket that closed the last list of nodes
}

// fail reports a mistake, but only one at each place.
func (p *parser) fail(pos Pos, format string, args ...any) {
	if p.failed > maxErrors || pos == p.failedAt {
		return
	}
	p.failed++
	p.failedAt = pos
	if p.failed > maxErrors {
		format, args = "more than %d mistakes: the rest is not checked", []any{maxErrors}
	}
	p.errs = append(p.errs, &Error{Path: p.file.Path, Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// warn reports something that is accepted nevertheless.
func (p *parser) warn(pos Pos, format string, args ...any) {
	if p.warnings == maxErrors {
		return
	}
	p.warnings++
	p.errs = append(p.errs, &Error{Path: p.file.Path, Pos: pos, Message: fmt.Sprintf(format, args...), Warning: true})
}

// advance goes to the next token. After too many mistakes there is none.
func (p *parser) advance() {
	p.open = max(p.open+nesting(&p.tok), 0)
	switch {
	case p.failed > maxErrors:
		p.ahead = nil
		p.tok = token{pos: p.tok.pos}
	case len(p.ahead) > 0:
		p.tok = p.ahead[0]
		p.ahead = append(p.ahead[:0], p.ahead[1:]...)
	default:
		p.tok = p.lex.next()
	}
	if p.tok.kind == stringToken && strings.Contains(p.tok.text, "\n") {
		p.warn(p.tok.pos, "Apache's compiler wants strings on one line, as seam gen fmt writes them, with \\n for a line end")
	}
}

// peek returns the n-th token after the next, from 0.
func (p *parser) peek(n int) *token {
	for len(p.ahead) <= n {
		p.ahead = append(p.ahead, p.lex.next())
	}
	return &p.ahead[n]
}

// unexpected reports the token as wrong; a bad one has been reported already.
func (p *parser) unexpected(format string, args ...any) bool {
	if p.tok.kind != badToken {
		p.fail(p.tok.pos, "%s", fmt.Sprintf(format, args...))
	}
	return false
}

// expect reads a mark or a keyword.
func (p *parser) expect(text, where string) bool {
	if p.tok.is(text) {
		p.next()
		return true
	}
	return p.unexpected("expected %q %s, found %s", text, where, &p.tok)
}

// accept reads a mark or a keyword if it is there.
func (p *parser) accept(text string) bool {
	if !p.tok.is(text) {
		return false
	}
	p.next()
	return true
}

// literal reads a string.
func (p *parser) literal(what string) (string, bool) {
	if p.tok.kind != stringToken {
		return "", p.unexpected("expected %s in quotes, found %s", what, &p.tok)
	}
	s := p.tok.str
	p.next()
	return s, true
}

// name reads the name of something that is defined here.
func (p *parser) name(what string) (Ident, bool) {
	id := Ident{p.tok.pos, p.tok.text}
	switch p.tok.kind {
	case identToken:
		p.simple(id, what)
		p.next()
		return id, true
	case keywordToken:
		if p.startsDefinition() {
			break
		}
		return id, p.unexpected("the keyword %q can't name %s: choose another name, such as %s_", id.Name, what, id.Name)
	}
	return id, p.unexpected("expected the name of %s, found %s", what, &p.tok)
}

// simple reports a name that no definition can have.
func (p *parser) simple(id Ident, what string) {
	switch dot := indexDot(id.Name); {
	case dot >= 0:
		p.fail(id.Pos, "the name %s of %s has a dot: only names from other files have one; remove it", clip(id.Name), what)
	case id.Name == "true" || id.Name == "false":
		p.fail(id.Pos, "%q is a value and can't name %s: choose another name, such as is_%s", id.Name, what, id.Name)
	}
}

func indexDot(name string) int {
	for i := range len(name) {
		if name[i] == '.' {
			return i
		}
	}
	return -1
}

// deeper counts one more level of nesting; the caller takes it off again.
func (p *parser) deeper(what string) bool {
	if p.depth++; p.depth > maxDepth {
		return p.unexpected("%s nested more than %d deep: give the inner ones names of their own", what, maxDepth)
	}
	return true
}
