package syntax

import (
	"unicode/utf8"
)

// maxPadding is how many blanks may stand in front of a comment to align it.
const maxPadding = 30

// A trail is a comment that ends a line. Those of consecutive lines are
// aligned.
type trail struct {
	at     int // offset of the comment
	line   int
	indent int
	width  int // of the line up to the comment
}

// trail notes that a comment follows. One of several lines isn't aligned, nor
// is one that follows such a comment.
func (p *printer) trail(text string) {
	for _, c := range []byte(text) {
		if c == '\n' {
			return
		}
	}
	code := p.buf[p.lineStart:]
	p.trails = append(p.trails, trail{
		at:     len(p.buf),
		line:   p.line,
		indent: len(indentation(string(code))),
		width:  utf8.RuneCount(code),
	})
}

// aligned returns the text with blanks in front of the comments that need them.
func (p *printer) aligned() []byte {
	out := make([]byte, 0, len(p.buf)+len(p.buf)/8)
	copied := 0
	for first := 0; first < len(p.trails); {
		end := first + 1
		for end < len(p.trails) && p.trails[end].line == p.trails[end-1].line+1 && p.trails[end].indent == p.trails[first].indent {
			end++
		}
		run := p.trails[first:end]
		column := column(run)
		for _, t := range run {
			out = append(out, p.buf[copied:t.at]...)
			copied = t.at
			for range column - t.width {
				out = append(out, ' ')
			}
		}
		first = end
	}
	return append(out, p.buf[copied:]...)
}

// column is where a run of comments is aligned: behind the longest line, if
// that isn't too far away from the shortest.
func column(run []trail) int {
	shortest := run[0].width
	for _, t := range run {
		shortest = min(shortest, t.width)
	}
	column := shortest
	for _, t := range run {
		if t.width <= shortest+maxPadding {
			column = max(column, t.width)
		}
	}
	return column
}
