package gotool

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

var errQuote = errors.New("a quotation mark is not closed")

// SplitQuoted splits a variable like CC or CGO_CFLAGS at white space. A field
// that begins with a quotation mark ends with the same one; there are no escapes
// (as in the go command's cmd/internal/quoted).
func SplitQuoted(s string) ([]string, error) {
	var fields []string
	for {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		if s == "" {
			return fields, nil
		}
		if s[0] == '"' || s[0] == '\'' {
			end := strings.IndexByte(s[1:], s[0])
			if end < 0 {
				return nil, errQuote
			}
			fields, s = append(fields, s[1:1+end]), s[2+end:]
			continue
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		fields, s = append(fields, s[:end]), s[end:]
	}
}

// JoinQuoted is the inverse of [SplitQuoted]: a value for flags like -toolexec.
func JoinQuoted(words []string) (string, error) {
	list := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\n\r'\""):
			list[i] = w
		case !strings.Contains(w, "'"):
			list[i] = "'" + w + "'"
		case !strings.Contains(w, `"`):
			list[i] = `"` + w + `"`
		default:
			return "", fmt.Errorf("%s has both kinds of quotation marks, which the go command can't take; if it is a path, move it", w)
		}
	}
	return strings.Join(list, " "), nil
}

// splitShell splits the answer of pkg-config as a shell would, without
// expansions.
func splitShell(s string) ([]string, error) {
	var fields []string
	var field strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if begun {
				fields = append(fields, field.String())
			}
			field.Reset()
			begun = false
			continue
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'':
			if i++; i == len(s) {
				return nil, errors.New("it ends with a backslash")
			}
			// Inside quotation marks a backslash stands for itself but before
			// these.
			if quote == '"' && !strings.ContainsRune("$`\"\\\n", rune(s[i])) {
				field.WriteByte(c)
			}
			field.WriteByte(s[i])
		default:
			field.WriteByte(c)
		}
		begun = true
	}
	if quote != 0 {
		return nil, errQuote
	}
	if begun {
		fields = append(fields, field.String())
	}
	return fields, nil
}
