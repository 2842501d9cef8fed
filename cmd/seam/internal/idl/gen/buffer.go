package gen

import (
	"fmt"
	"strconv"
	"strings"
)

// A buffer builds Go source line by line, already in gofmt's form: running
// gofmt on the bodies of codecs would take longer than writing them.
type buffer struct {
	text  []byte
	depth int
}

// P writes one line. A line that begins with a closing brace or bracket ends
// an indented block, one that ends with an opening one begins it; the lines
// of a case are one level deeper than the case.
func (b *buffer) P(parts ...any) {
	start := len(b.text)
	b.text = append(b.text, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t"[:min(b.depth, 24)]...)
	from := len(b.text)
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			b.text = append(b.text, v...)
		case int:
			b.text = strconv.AppendInt(b.text, int64(v), 10)
		case []byte:
			b.text = append(b.text, v...)
		default:
			b.text = fmt.Append(b.text, v)
		}
	}
	line := string(b.text[from:])
	switch {
	case line == "":
		b.text = append(b.text[:start], '\n')
		return
	case line[0] == '}' || line[0] == ')' || line[0] == ']',
		strings.HasPrefix(line, "case ") || strings.HasPrefix(line, "default:"),
		line[len(line)-1] == ':' && label(line[:len(line)-1]):
		// One level out.
		if b.depth > 0 {
			b.text = append(b.text[:from-1], line...)
			b.depth--
		}
	}
	b.text = append(b.text, '\n')
	switch line[len(line)-1] {
	case '{', '(', '[', ':':
		b.depth++
	}
}

// Apart writes an empty line and then a line.
func (b *buffer) Apart(parts ...any) {
	b.P()
	b.P(parts...)
}

// Block writes a block of one line.
func (b *buffer) Block(head string, line ...any) {
	b.P(head, " {")
	b.P(line...)
	b.P("}")
}

// label reports whether a line before its colon is a label.
func label(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
