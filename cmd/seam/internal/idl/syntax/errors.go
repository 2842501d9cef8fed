package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// An Error is one mistake in a file, or a warning about it.
type Error struct {
	Path    string
	Pos     Pos
	Message string // what is wrong and how to fix it
	Warning bool   // the file is accepted all the same
}

func (e *Error) Error() string {
	word := ""
	if e.Warning {
		word = "warning: "
	}
	if e.Pos == (Pos{}) { // the file as a whole
		return fmt.Sprintf("%s: %s%s", e.Path, word, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", e.Path, e.Pos.Line, e.Pos.Col, word, e.Message)
}

// Errors are the mistakes of one run, in the order of the files and of their
// lines.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Fatal reports whether any of them is more than a warning.
func (e Errors) Fatal() bool {
	return slices.ContainsFunc(e, func(one *Error) bool { return !one.Warning })
}
