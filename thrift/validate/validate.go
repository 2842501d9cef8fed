// Package validate is what the methods Validate are made of that seam gen --validate writes
// for the annotations vt.*.
package validate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// An Error says which field breaks which rule.
type Error struct {
	Path string // from the struct that was validated: Order.items[3].name
	Rule string // as the Thrift file has it: vt.min_size = "1"
}

func (e *Error) Error() string { return e.Path + ": breaks " + e.Rule }

// Failed is the error of a field.
func Failed(path, rule string) error { return &Error{path, rule} }

// At is the path of an element, by its index or key.
func At(path string, key any) string {
	if s, ok := key.(string); ok {
		const most = 32
		if len(s) > most {
			s = s[:most] + "…"
		}
		return path + "[" + strconv.Quote(s) + "]"
	}
	return path + "[" + fmt.Sprint(key) + "]"
}

// Nested validates a struct that is part of another, if its type has the method. The path of
// the error begins with that of the other.
func Nested(v any) error {
	if v, ok := v.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// Within makes an error of [Nested] one of the struct around.
func Within(path string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	rest := ""
	if i := strings.IndexAny(e.Path, ".["); i >= 0 { // behind the name of the struct
		rest = e.Path[i:]
	}
	return &Error{path + rest, e.Rule}
}

var patterns sync.Map // of string to *regexp.Regexp

// Matches reports whether a text matches a regular expression in Go's syntax, which seam gen has
// checked.
func Matches(pattern, text string) bool {
	re, ok := patterns.Load(pattern)
	if !ok {
		re, _ = patterns.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return re.(*regexp.Regexp).MatchString(text)
}

// Add is the function add of rules: a sum, or two texts joined.
func Add[T int64 | float64 | string](a, b T) T { return a + b }

// Mod is the function mod of rules: the remainder of a divided by b, with the sign of a. It is
// a where b is 0.
func Mod(a, b int64) int64 {
	if b == 0 {
		return a
	}
	return a % b
}
