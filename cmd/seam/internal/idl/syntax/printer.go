package syntax

import (
	"math"
	"strings"
)

const (
	step    = 2 // columns that a member stands to the right of its definition
	hanging = 4 // columns that the rest of a broken line does
)

// A printer writes a tree as text, word by word in the order that the parser
// reads them, and puts the inner comments back between the same words.
type printer struct {
	buf       []byte
	line      int // number of the line that is being written
	lineStart int // offset of its first byte
	trails    []trail

	indent int // columns in front of the node
	base   int // columns in front of a bracket that closes a list of the node
	hang   int // columns in front of what follows when a line is broken
	fresh  bool
	gap    gap // what a comment wants behind it

	comments *Comments // of the node
	words    int       // of it that are written
	inner    int       // comments inside it that are written
}

type gap uint8

const (
	noGap gap = iota
	blankGap
	lineGap
)

// newline ends the line, with blank lines if breaks is above 1, and indents
// the next one. The first line needs no end before it.
func (p *printer) newline(breaks, indent int) {
	p.gap = noGap
	p.fresh = true
	if len(p.buf) > 0 {
		for range breaks {
			p.buf = append(p.buf, '\n')
		}
		p.line += breaks
	}
	p.lineStart = len(p.buf)
	for range indent {
		p.buf = append(p.buf, ' ')
	}
}

// word writes a word of the node, after a blank if one separates it from
// the word before.
func (p *printer) word(text string, parted bool) {
	p.flush()
	if p.gap == blankGap && strings.Contains(")]>,:", text) {
		p.gap = noGap
	}
	p.part(parted)
	p.buf = append(p.buf, text...)
	p.fresh = false
	p.words++
}

// part writes what separates the next word from what is before it.
func (p *printer) part(parted bool) {
	switch {
	case p.gap == lineGap:
		p.newline(1, p.hang)
	case (parted || p.gap == blankGap) && !p.fresh:
		p.buf = append(p.buf, ' ')
	}
	p.gap = noGap
}

// separator writes a comma, in front of the comments that follow the word
// before it.
func (p *printer) separator() { p.buf = append(p.buf, ',') }

// flush writes the comments that follow the words written so far.
func (p *printer) flush() {
	if p.comments == nil {
		return
	}
	for ; p.inner < len(p.comments.Inner); p.inner++ {
		c := p.comments.Inner[p.inner]
		if c.Word >= p.words {
			return
		}
		p.write(c)
	}
}

// write writes an inner comment.
func (p *printer) write(c Inner) {
	switch {
	case c.Breaks > 0:
		p.newline(int(min(c.Breaks, 2)), p.hang)
	default:
		p.part(isLineComment(c.Text) || !strings.ContainsRune("([<", rune(p.buf[len(p.buf)-1])))
	}
	ends := isLineComment(c.Text) || !c.Joined
	if isLineComment(c.Text) && c.Breaks == 0 && !p.fresh {
		p.trail(c.Text)
	}
	p.comment(c.Text)
	p.gap = blankGap
	if ends {
		p.gap = lineGap
	}
}

// comment writes the text of a comment. Its lines stand as far to the right as
// the line on which it begins.
func (p *printer) comment(text string) {
	p.fresh = false
	first, rest, more := strings.Cut(text, "\n")
	p.buf = append(p.buf, first...)
	if !more {
		return
	}
	blanks := indentation(string(p.buf[p.lineStart:]))
	for more {
		first, rest, more = strings.Cut(rest, "\n")
		p.buf = append(p.buf, '\n')
		p.line++
		p.lineStart = len(p.buf)
		if first != "" {
			p.buf = append(p.buf, blanks...)
			p.buf = append(p.buf, first...)
		}
	}
}

// A node is the printer's place in a node while one inside it is written.
type node struct {
	comments           *Comments
	words, inner       int
	indent, base, hang int
}

// begin opens a node that stands on lines of its own, and writes the comments
// before it.
func (p *printer) begin(c *Comments, breaks int) node {
	p.lines(c.Before, breaks)
	if n := len(c.Before); n > 0 {
		breaks = 1
		if c.Before[n-1] == "" {
			breaks = 2
		}
	}
	p.newline(breaks, p.indent)
	return p.enter(c)
}

// lines writes comments on lines of their own.
func (p *printer) lines(comments []string, breaks int) {
	for _, text := range comments {
		if text == "" {
			breaks = 2
			continue
		}
		p.newline(breaks, p.indent)
		p.comment(text)
		breaks = 1
	}
}

// enter opens a node on the same line.
func (p *printer) enter(c *Comments) node {
	outer := node{p.comments, p.words, p.inner, p.indent, p.base, p.hang}
	p.comments, p.words, p.inner = c, 0, 0
	p.base, p.hang = p.indent, p.indent+hanging
	return outer
}

// end closes a node and writes the comments after it. Last says that nothing
// follows them on their line.
func (p *printer) end(outer node, separated, last bool) {
	c := p.comments
	if separated {
		p.separator()
	}
	p.words = math.MaxInt // a tree may have comments after words that no longer exist
	p.flush()
	p.comments, p.words, p.inner = outer.comments, outer.words, outer.inner
	p.indent, p.base, p.hang = outer.indent, outer.base, outer.hang
	if len(c.After) == 0 {
		return
	}
	p.part(true)
	if last {
		p.trail(strings.Join(c.After, " "))
	}
	for i, text := range c.After {
		p.part(i > 0)
		p.comment(text)
	}
}

// list writes n nodes between brackets, each on a line of its own or all on
// one line.
func (p *printer) list(open, closing string, parted bool, n int, lines bool, item func(i int, lines bool)) {
	p.word(open, parted)
	behind, ahead := p.listComments()
	if n == 0 && !behind && len(ahead) == 0 {
		p.word(closing, false)
		return
	}
	trails := len(p.trails)
	p.flush()
	p.trails = p.trails[:trails] // what stands behind a bracket isn't aligned with what is in it
	indent := p.indent
	if lines || len(ahead) > 0 {
		p.indent = p.base + step
	}
	for i := range n {
		item(i, lines)
	}
	for i, c := range ahead {
		breaks := 1
		if c.Breaks > 1 && (i > 0 || n > 0) {
			breaks = 2
		}
		p.newline(breaks, p.indent)
		p.comment(c.Text)
	}
	p.inner += len(ahead)
	p.indent = indent
	if lines || len(ahead) > 0 {
		p.newline(1, p.base)
	}
	p.word(closing, false)
}

// listComments reports whether there are comments behind the bracket just
// written, and returns those ahead of the one that closes its list.
func (p *printer) listComments() (behind bool, ahead []Inner) {
	all := p.comments.Inner
	i := p.inner
	for i < len(all) && all[i].Word < p.words {
		i++
		behind = true
	}
	start := i
	for i < len(all) && all[i].Word == p.words && all[i].Ahead {
		i++
	}
	return behind, all[start:i]
}
