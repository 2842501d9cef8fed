//go:build cgo && seam_libs

package main

// #include "events.h"
import "C"

import (
	"fmt"
	"unicode/utf8"
)

// An Error is what is wrong with a document.
type Error struct {
	Code int // simdjson's error_code, or one of events.h
	At   int // where, in bytes
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.At, e.What) }

// newError finds the place of an error that C++ knows none for.
func newError(doc []byte, code, at int) *Error {
	switch code {
	case C.EVENTS_UTF8:
		for at = 0; at < len(doc); {
			r, n := utf8.DecodeRune(doc[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
	case C.EVENTS_UNESCAPED, C.EVENTS_UNCLOSED:
		at = badString(doc)
	case C.EVENTS_INCOMPLETE:
		at = len(doc)
	}
	what := C.GoString(C.events_error(C.int32_t(code))) // a constant of C's
	if at < 0 {
		at = 0
	}
	return &Error{code, at, what}
}

// badString returns where the first control character is that stands in a string, or else
// where the string begins that does not end.
func badString(doc []byte) int {
	open := -1
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case open < 0:
			if c == '"' {
				open = i
			}
		case c == '"':
			open = -1
		case c == '\\':
			i++
		case c < ' ':
			return i
		}
	}
	return open
}

// Codes that encoding/json has no error for, or another: for those who compare.
const (
	codeString    = C.EVENTS_STRING
	codeNumber    = C.EVENTS_NUMBER
	codeDuplicate = C.EVENTS_DUPLICATE
	codeDeep      = C.EVENTS_DEEP
)
