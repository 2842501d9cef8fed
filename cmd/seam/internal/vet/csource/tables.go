package csource

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// tableSize is from how many bytes on a table of data is left out.
const tableSize = 64 << 10

// withoutTables writes the source of a unit without its tables of data, if it has large ones:
// generated parsers are little else, and gcc takes seconds to read them. "" if there are none.
func (u unit) withoutTables(file string) (name string, err error) {
	if info, err := os.Stat(file); err != nil || info.Size() < tableSize {
		return "", nil // the compiler will say what is wrong with it
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return "", nil
	}
	empty := "{0}"
	if u.cxx {
		empty = "{}"
	}
	short := dropTables(src, empty)
	if short == nil {
		return "", nil
	}
	name = u.base + filepath.Ext(file)
	return name, os.WriteFile(name, short, 0o600)
}

// dropTables replaces the initialisers of global data that are long: = { … }. It returns nil if
// there are none, or if the source is not understood.
func dropTables(src []byte, empty string) []byte {
	var out []byte
	kept := 0     // what is before it is in out
	depth := 0    // of braces
	table := -1   // where the global initialiser begins that i is in
	plain := true // what of it was seen is data: no statement, no directive
	assigned := false
	for i := 0; i < len(src); i++ {
		c := src[i]
		if !matters[c] && !assigned { // most of it: names and numbers
			continue
		}
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		wasAssigned := assigned
		assigned = false
		switch {
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i, assigned = afterComment(src, i)-1, wasAssigned
		case c == '#' && startsLine(src, i):
			i, plain, assigned = afterLine(src, i)-1, false, wasAssigned
		case c == '"' || c == '\'':
			end := afterQuoted(src, i)
			if end < 0 {
				return nil
			}
			i = end - 1
		case c == '{':
			if depth == 0 && wasAssigned {
				table, plain = i, true
			}
			depth++
		case c == '}':
			if depth--; depth < 0 {
				return nil
			}
			if depth > 0 || table < 0 {
				continue
			}
			rest := bytes.TrimLeft(src[i+1:], " \t\r\n")
			if plain && i-table >= tableSize && len(rest) > 0 && (rest[0] == ';' || rest[0] == ',') {
				out = append(append(out, src[kept:table]...), empty...)
				kept = i + 1
			}
			table = -1
		case c == ';':
			plain = false
		case c == '=':
			assigned = true
		}
	}
	if out == nil || depth != 0 {
		return nil
	}
	return append(out, src[kept:]...)
}

// matters are the bytes that dropTables looks at; any other but a space ends an assignment.
var matters = func() (set [256]bool) {
	for _, c := range "/#\"'{};=" {
		set[c] = true
	}
	return set
}()

func startsLine(src []byte, i int) bool {
	begin := bytes.LastIndexByte(src[:i], '\n') + 1
	return strings.TrimLeft(string(src[begin:i]), " \t") == ""
}

func afterComment(src []byte, i int) int {
	if src[i+1] == '/' {
		return afterLine(src, i)
	}
	if end := bytes.Index(src[i+2:], []byte("*/")); end >= 0 {
		return i + 2 + end + 2
	}
	return len(src)
}

// afterLine is where a line ends that may go on behind backslashes.
func afterLine(src []byte, i int) int {
	for ; i < len(src); i++ {
		if src[i] == '\n' && src[i-1] != '\\' && !(src[i-1] == '\r' && i > 1 && src[i-2] == '\\') {
			return i
		}
	}
	return len(src)
}

// afterQuoted is where a string or character ends; -1 if its line does first.
func afterQuoted(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return -1
}
