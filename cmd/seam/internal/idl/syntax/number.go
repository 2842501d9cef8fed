package syntax

import (
	"errors"
	"strconv"
	"strings"
)

// number reads an integer or a double.
func (l *lexer) number(t *token) {
	start := l.at
	if c := l.src[l.at]; c == '+' || c == '-' {
		l.at++
	}
	if rest := l.src[l.at:]; len(rest) > 2 && rest[0] == '0' && rest[1] == 'x' && isHex(rest[2]) {
		t.kind = intToken
		l.at += 2
		for l.at < len(l.src) && isHex(l.src[l.at]) {
			l.at++
		}
	} else {
		t.kind = intToken
		found := l.digits()
		if l.at+1 < len(l.src) && l.src[l.at] == '.' && isDigit(l.src[l.at+1]) {
			t.kind = doubleToken
			l.at++
			found = l.digits()
		}
		if found {
			l.exponent(t)
		} else {
			l.noNumber(t, start)
			return
		}
	}
	if l.at < len(l.src) && (isLetter(l.src[l.at]) || l.src[l.at] == '.') {
		l.noNumber(t, start)
		return
	}
	l.value(t, l.src[start:l.at])
}

// digits steps over digits and reports whether there are any.
func (l *lexer) digits() bool {
	start := l.at
	for l.at < len(l.src) && isDigit(l.src[l.at]) {
		l.at++
	}
	return l.at > start
}

// exponent steps over an exponent, if there is one.
func (l *lexer) exponent(t *token) {
	before := l.at
	if l.at == len(l.src) || l.src[l.at]|0x20 != 'e' {
		return
	}
	l.at++
	if l.at < len(l.src) && (l.src[l.at] == '+' || l.src[l.at] == '-') {
		l.at++
	}
	if !l.digits() {
		l.at = before
		return
	}
	t.kind = doubleToken
}

// noNumber reports what begins like a number but isn't one.
func (l *lexer) noNumber(t *token, start int) {
	for l.at < len(l.src) && inName(l.src[l.at]) {
		l.at++
	}
	text := l.src[start:l.at]
	name := start
	for name > 0 && inName(l.src[name-1]) {
		name--
	}
	switch {
	case name < start && isLetter(l.src[name]): // it stands directly behind a name
		l.report(t.pos, "%q can't be a name, of a namespace or of anything else, for its %q: names have letters, digits and _, and dots between their parts", clip(l.src[name:l.at]), text[:1])
	case strings.Trim(text, "+-.") == "":
		l.report(t.pos, "unexpected %q: remove it, or write a number after it", clip(text))
	default:
		l.report(t.pos, "%q isn't a number: numbers look like 12, -0x1F, 1.5 or 2e-3, and a space parts one from a name", clip(text))
	}
	t.kind = badToken
}

func inName(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' }

// value computes the number. One that is too large stays a token of its kind,
// so that the parser can go on after it.
func (l *lexer) value(t *token, text string) {
	if t.kind == doubleToken {
		var err error
		if t.double, err = strconv.ParseFloat(text, 64); err != nil {
			l.report(t.pos, "the number %s is too large for a double", clip(text))
			t.double = 0
		}
		return
	}
	digits, base := text, 10
	if sign := strings.TrimLeft(text, "+-"); strings.HasPrefix(sign, "0x") {
		digits, base = text[:len(text)-len(sign)]+sign[2:], 16
	}
	var err error
	if t.int, err = strconv.ParseInt(digits, base, 64); errors.Is(err, strconv.ErrRange) {
		l.report(t.pos, "the number %s doesn't fit in 64 bits: integers go from -9223372036854775808 to 9223372036854775807", clip(text))
		t.int = 0
	}
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
