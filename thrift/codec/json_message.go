package codec

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The parts of a message of a call in Apache's JSON protocol, which is an array:
//
//	[1,"function",1,7,{"1":{"i32":5}}]
//
// the version, the name, the type of the message, the sequence number, and the body.

// jsonVersion is the only one that there is.
const jsonVersion = 1

// JSONHeadSize is the size of the largest header that is read: a name of which every letter is escaped.
// Spaces between its parts count.
const JSONHeadSize = 32 << 10

// AppendJSONHead appends what comes before the body.
func AppendJSONHead(b []byte, name string, kind byte, seq int32) []byte {
	return fmt.Appendf(appendJSONText(append(b, "[1,"...), name), ",%d,%d,", kind, seq)
}

// JSONHead reads what [AppendJSONHead] writes, and returns where the body begins; 0 if b ends
// before. The name may be a part of b.
func JSONHead(b []byte) (name []byte, kind byte, seq int32, n int, err error) {
	r := &jsonReader{in: b}
	r.want('[')
	if v := r.integer(32); r.err == nil && v != jsonVersion {
		r.fail(r.i, ErrMalformed, "version %d of the JSON protocol, want %d", v, jsonVersion)
	}
	r.want(',')
	name = r.text()
	r.want(',')
	k := r.integer(16)
	if r.err == nil && (k < 0 || k > 255) {
		r.fail(r.i, ErrMalformed, "%d is not the type of a message", k)
	}
	r.want(',')
	s := r.integer(32)
	r.want(',')
	switch {
	case r.err == nil && !utf8.Valid(name):
		return nil, 0, 0, 0, errors.New("the function's name is not UTF-8")
	case r.err == nil:
		return name, byte(k), int32(s), r.i, nil
	case errors.Is(r.err, ErrTruncated) && len(b) <= JSONHeadSize:
		return nil, 0, 0, 0, nil
	case errors.Is(r.err, ErrTruncated):
		return nil, 0, 0, 0, fmt.Errorf("no end of it in %d bytes", len(b))
	}
	r.err.Path = "JSON"
	return nil, 0, 0, 0, r.err
}

// AppendJSONBody appends the body of a message and what closes the message.
func AppendJSONBody(b []byte, m BinaryMessage) ([]byte, error) {
	b, err := AppendJSON(b, m)
	return append(b, ']'), err
}

// DecodeJSONBody is [DecodeBody] for the JSON protocol: b is the rest of a message behind its
// header.
func DecodeJSONBody(b []byte, m BinaryDecoder, opt Options) error {
	if _, check := m.(interface{ checkUTF8() }); check {
		opt.UTF8 = true
	}
	err := decodeJSON(b, m, opt, true)
	if _, none := m.(interface{ noBinary() }); none && err != nil {
		return errNoBinary
	}
	return err
}

// AppendJSONException appends the body of an exception that no function declares, and what
// closes its message.
func AppendJSONException(b []byte, message string, kind int32) []byte {
	b = appendJSONText(append(b, `{"1":{"str":`...), message)
	return fmt.Appendf(b, `},"2":{"i32":%d}}]`, kind)
}

// appendJSONText appends a string in quotes. What isn't UTF-8 is replaced.
func appendJSONText(b []byte, s string) []byte {
	w := &jsonWriter{out: b}
	w.quoted([]byte(strings.ToValidUTF8(s, "\ufffd")))
	return w.out
}
