package syntax

import (
	"strings"
)

// atComment reports whether a comment begins here.
func (l *lexer) atComment() bool {
	rest := l.src[l.at:]
	return strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*")
}

// comment reads a comment. It returns false for one that is never closed, and
// leaves that for unknown to report.
func (l *lexer) comment() (string, bool) {
	rest := l.src[l.at:]
	if !strings.HasPrefix(rest, "/*") {
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			rest = rest[:end]
		}
		l.nulIn(rest)
		l.at += len(rest)
		return trimRight(rest), true
	}
	end := strings.Index(rest[2:], "*/")
	if end < 0 {
		return "", false
	}
	rest = rest[:2+end+2]
	l.nulIn(rest)
	text := dedent(rest, len(indentation(l.src[l.lineStart:])))
	for {
		cut := strings.IndexByte(rest, '\n')
		if cut < 0 {
			break
		}
		l.at += cut
		l.newline()
		rest = rest[cut+1:]
	}
	l.at += len(rest)
	return text, true
}

func (l *lexer) nulIn(text string) {
	if strings.IndexByte(text, 0) >= 0 {
		l.nul()
	}
}

// dedent takes the indentation of a block comment's first line off its other
// lines, so that the printer can put it anywhere. Lines that all begin with a
// star are put one column to the right of the first, under its star.
func dedent(text string, indent int) string {
	if strings.IndexByte(text, '\n') < 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	stars := true
	for i, line := range lines {
		lines[i] = trimRight(line)
		if i > 0 && lines[i] != "" && strings.TrimLeft(line, " \t")[0] != '*' {
			stars = false
		}
	}
	for i, line := range lines[1:] {
		if stars && line != "" {
			lines[i+1] = " " + strings.TrimLeft(line, " \t")
			continue
		}
		have := min(len(indentation(line)), indent)
		lines[i+1] = line[have:]
	}
	return strings.Join(lines, "\n")
}

// indentation returns the blanks that text begins with.
func indentation(text string) string {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return text[:n]
}

func trimRight(line string) string { return strings.TrimRight(line, " \t\r") }

// isLineComment reports whether the comment goes to the end of its line.
func isLineComment(text string) bool { return !strings.HasPrefix(text, "/*") }

// Text returns what the comments say about the node: those before it with no
// blank line in between or, if there are none, those after it on its line.
// Markers and the stars that lines begin with are removed; line ends are
// kept.
func (c *Comments) Text() string {
	from := len(c.Before)
	for from > 0 && c.Before[from-1] != "" {
		from--
	}
	text := plain(c.Before[from:])
	if text == "" {
		text = plain(c.After)
	}
	return text
}

// plain joins comments without their markers.
func plain(comments []string) string {
	var lines []string
	for _, text := range comments {
		if isLineComment(text) {
			lines = append(lines, trimRight(oneBlank(strings.TrimLeft(text, text[:1]))))
			continue
		}
		block := strings.Split(strings.Trim(text[2:len(text)-2], "*"), "\n")
		lines = append(lines, trimBlank(withoutStars(block))...)
	}
	text := strings.Join(trimBlank(lines), "\n")
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\ufeff", "")
}

// withoutStars removes the stars that lines begin with, or else the
// indentation that all but the first share.
func withoutStars(lines []string) []string {
	stars, indent := true, -1
	for _, line := range lines[1:] {
		if blanks := len(indentation(line)); blanks < len(line) {
			stars = stars && line[blanks] == '*'
			if indent < 0 || blanks < indent {
				indent = blanks
			}
		}
	}
	lines[0] = trimRight(oneBlank(lines[0]))
	for i, line := range lines[1:] {
		if stars {
			line = oneBlank(strings.TrimPrefix(strings.TrimLeft(line, " \t"), "*"))
		} else {
			line = line[min(len(line), max(indent, 0)):]
		}
		lines[i+1] = trimRight(line)
	}
	return lines
}

// oneBlank removes the blank between a comment's marker and its words.
func oneBlank(line string) string { return strings.TrimPrefix(line, " ") }

// trimBlank removes empty lines from both ends.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
