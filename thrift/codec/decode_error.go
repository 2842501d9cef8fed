package codec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What can be wrong with a message. A [*DecodeError] wraps one of them.
var (
	ErrTruncated = errors.New("thrift: unexpected end of input")
	ErrLength    = errors.New("thrift: length that the input can't hold")
	ErrType      = errors.New("thrift: wrong type of elements")
	ErrMalformed = errors.New("thrift: malformed")
	ErrRequired  = errors.New("thrift: required field is missing")
	ErrUnion     = errors.New("thrift: union needs exactly one field")
	ErrUTF8      = errors.New("thrift: string is not UTF-8")
	ErrDepth     = errors.New("thrift: nested too deeply")
	ErrLimit     = errors.New("thrift: over a limit")
	ErrTrailing  = errors.New("thrift: more bytes than the message")
)

// A DecodeError says what is wrong with a message, and where.
type DecodeError struct {
	Path   string // from the outermost struct: Order.items[3].name
	Offset int    // in the input, in bytes
	Err    error  // one of the errors above
	Detail string // more about Err, or ""
}

func (e *DecodeError) Error() string {
	what := e.Detail
	if what == "" {
		what = strings.TrimPrefix(e.Err.Error(), "thrift: ")
	}
	return fmt.Sprintf("%s: %s at byte %d", e.Path, what, e.Offset)
}

// Unwrap returns the kind of the error.
func (e *DecodeError) Unwrap() error { return e.Err }

// keyStep shows a map's key in a path, in a few letters.
func keyStep(key any) string {
	const most = 32
	s, ok := key.(string)
	if !ok {
		return fmt.Sprintf("[%v]", key)
	}
	if len(s) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		return "[" + strings.TrimSuffix(strconv.Quote(s[:cut]), `"`) + `…"]`
	}
	return "[" + strconv.Quote(s) + "]"
}

// Prepend puts a step before the path of the error at ^i. It gives i. It is
// for generated code with the inline layout of error paths.
func (d *Decoder) Prepend(step string, i int) int {
	d.path = step + d.path
	return i
}

// FailIn is Prepend for the layouts goto and outlined.
//
//go:noinline
func (d *Decoder) FailIn(step string, i int) int {
	d.path = step + d.path
	return i
}

// FailAt is FailIn for the index of a list.
//
//go:noinline
func (d *Decoder) FailAt(k, i int) int {
	d.path = "[" + strconv.Itoa(k) + "]" + d.path
	return i
}
