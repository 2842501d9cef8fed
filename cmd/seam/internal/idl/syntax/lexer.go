package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexer cuts the source into tokens.
type lexer struct {
	src       string
	at        int // offset of the next byte
	line      int
	lineStart int // offset of the line's first byte
	sawNul    bool
	report    func(pos Pos, format string, args ...any)
}

func newLexer(src []byte, report func(Pos, string, ...any)) *lexer {
	l := &lexer{src: string(src), line: 1, report: report}
	switch {
	case strings.HasPrefix(l.src, "\xef\xbb\xbf"):
		l.at, l.lineStart = 3, 3
	case strings.HasPrefix(l.src, "\xff\xfe"), strings.HasPrefix(l.src, "\xfe\xff"):
		report(Pos{1, 1}, "the file is UTF-16: save it as UTF-8")
		l.at = len(l.src)
	}
	return l
}

func (l *lexer) pos() Pos { return Pos{l.line, l.at - l.lineStart + 1} }

// next returns the next token.
func (l *lexer) next() token {
	var t token
	for {
		t.breaks = l.space()
		if !l.atComment() {
			break
		}
		text, ok := l.comment()
		if !ok {
			break
		}
		t.lead = append(t.lead, comment{text, t.breaks})
	}
	t.pos = l.pos()
	start := l.at
	if start == len(l.src) {
		return t // endOfFile
	}
	switch c := l.src[start]; {
	case isLetter(c):
		l.name()
		t.kind = identToken
		if keywords[l.src[start:l.at]] {
			t.kind = keywordToken
		}
	case strings.IndexByte(":;,{}()=<>[]*&", c) >= 0:
		l.at++
		t.kind = markToken
	case c == '"' || c == '\'':
		l.literal(&t)
	case isDigit(c) || c == '+' || c == '-' || c == '.':
		l.number(&t)
	default:
		l.unknown(&t)
	}
	t.text = l.src[start:l.at]
	return t
}

// space steps over white space and counts its line ends up to two.
func (l *lexer) space() (breaks uint8) {
	for l.at < len(l.src) {
		switch l.src[l.at] {
		case '\n':
			l.newline()
			breaks = min(breaks+1, 2)
		case ' ', '\t', '\r':
			l.at++
		default:
			return breaks
		}
	}
	return breaks
}

// newline steps over a line end.
func (l *lexer) newline() {
	l.at++
	l.line++
	l.lineStart = l.at
}

// name steps over a name. A dot belongs to it if a letter or a digit follows.
func (l *lexer) name() {
	for l.at < len(l.src) {
		c := l.src[l.at]
		if c == '.' && l.at+1 < len(l.src) {
			c = l.src[l.at+1]
		}
		if !isLetter(c) && !isDigit(c) {
			return
		}
		l.at++
	}
}

// literal reads a string. It may have several lines, as thriftgo allows; but if what stands behind
// the next quotation mark can't follow a string, that one is the beginning of another, and the
// first was to end on its line.
func (l *lexer) literal(t *token) {
	t.kind = stringToken
	start, mark := l.at, l.src[l.at]
	l.at++
	begin, several := l.at, false
	var resolved strings.Builder // only used if there are escapes
	for l.at < len(l.src) {
		switch c := l.src[l.at]; c {
		case mark:
			resolved.WriteString(l.src[begin:l.at])
			t.str = resolved.String()
			l.at++
			return
		case '\n':
			if !several && !closesBelow(l.src[l.at:], mark) {
				l.report(t.pos, "the string %s has no closing %c on its line: add it, or write \\n for a line end", clip(trimRight(l.src[start:l.at])), mark)
				t.kind = badToken
				return
			}
			several = true
			l.newline()
		case '\\':
			resolved.WriteString(l.src[begin:l.at])
			if l.at+1 < len(l.src) && l.src[l.at+1] != '\n' {
				l.escape(&resolved)
			} else {
				l.at++
			}
			begin = l.at
		case 0:
			l.nul()
			l.at++
		default:
			l.at++
		}
	}
	l.report(t.pos, "the string %s is never closed: add a %c", clip(l.src[start:]), mark)
	t.kind = badToken
}

// closesBelow reports whether a string that goes on in text ends where one can end.
func closesBelow(text string, mark byte) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case mark:
			rest := strings.TrimLeft(text[i+1:], " \t\r")
			return rest == "" || strings.IndexByte("\n,;)]}(:/#", rest[0]) >= 0
		}
	}
	return false
}

// escape reads a backslash and what follows.
func (l *lexer) escape(out *strings.Builder) {
	switch c := l.src[l.at+1]; c {
	case 'n':
		out.WriteByte('\n')
	case 'r':
		out.WriteByte('\r')
	case 't':
		out.WriteByte('\t')
	case '"', '\'', '\\':
		out.WriteByte(c)
	default:
		r, size := utf8.DecodeRuneInString(l.src[l.at+1:])
		l.report(l.pos(), `unknown escape \%s: there are \n, \r, \t, \\, \" and \'; write \\ for a backslash`, clip(string(r)))
		l.at += size - 1
	}
	l.at += 2
}

// unknown reports bytes that begin no token.
func (l *lexer) unknown(t *token) {
	t.kind = badToken
	r, size := utf8.DecodeRuneInString(l.src[l.at:])
	defer func() { l.at += size }()
	switch {
	case r == 0:
		l.nul()
	case r == '/':
		if l.at+1 < len(l.src) && l.src[l.at+1] == '*' {
			l.report(t.pos, "the comment is never closed: add */")
			size = len(l.src) - l.at
			return
		}
		l.report(t.pos, `unexpected "/": comments begin with //, /* or #`)
	case r == utf8.RuneError && size == 1:
		l.report(t.pos, "byte 0x%02x isn't UTF-8: save the file as UTF-8", l.src[l.at])
		for l.at+size < len(l.src) && l.src[l.at+size] >= utf8.RuneSelf {
			size++
		}
	case strings.ContainsRune("“”„‘’`«»", r):
		l.report(t.pos, `unexpected %q: strings stand between " or '`, r)
	case unicode.IsSpace(r), r == '\u200b', r == '\ufeff':
		l.report(t.pos, "unexpected character %U: replace it by a space", r)
	case r == '@':
		l.report(t.pos, "unexpected '@': annotations are written in parentheses after what they belong to")
	case unicode.IsLetter(r):
		l.report(t.pos, "unexpected %q: names have the letters A to Z, a to z, digits and _", r)
		for l.at+size < len(l.src) {
			r, more := utf8.DecodeRuneInString(l.src[l.at+size:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			size += more
		}
	default:
		l.report(t.pos, "unexpected %q: remove it", r)
	}
}

// nul reports the first NUL byte; a file with one usually has thousands.
func (l *lexer) nul() {
	if !l.sawNul {
		l.sawNul = true
		l.report(l.pos(), "NUL byte: the file isn't text, or isn't saved as UTF-8")
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
