package thrift

import (
	"errors"

	"github.com/seamgo/seam/thrift/codec"
)

// A jsonScan is how far the search for the end of a message of the JSON protocol has come: for
// the bracket that closes its first one. Which brackets there are is the decoder's business.
type jsonScan struct {
	pos    int
	open   int // brackets
	quoted bool
	behind bool // a backslash
	look   int  // when so many bytes are there, for the header
}

// jsonMessage is [scanner.message] for the JSON protocol.
func (s *scanner) jsonMessage(b []byte) (end int, ok bool, err error) {
	j := &s.json
	if !s.header && len(b) >= j.look {
		// Bytes may come one by one, and the header is read from its beginning.
		j.look = min(2*len(b), max(len(b), codec.JSONHeadSize)+1)
		if err := s.jsonHeader(b); err != nil {
			return 0, false, err
		}
	}
	for ; j.pos < len(b) && j.pos < s.max; j.pos++ {
		c := b[j.pos]
		switch {
		case j.behind:
			j.behind = false
		case j.quoted:
			j.behind, j.quoted = c == '\\', c != '"'
		case c == '"':
			j.quoted = true
		case c == '[' || c == '{':
			j.open++
		case c == ']' || c == '}':
			if j.open--; j.open > 0 {
				continue
			}
			if err = s.jsonHeader(b[:j.pos+1]); err == nil && !s.header {
				err = errors.New("header of message: it is not whole")
			}
			return j.pos + 1, err == nil, err
		}
	}
	if j.pos < len(b) || j.pos == s.max {
		if err := s.jsonHeader(b); err != nil {
			return 0, false, err
		}
		return 0, false, s.tooMuch("message has more than %d bytes, the limit (Limits.Message)", s.max)
	}
	return 0, false, nil
}

// jsonHeader looks whether the header is whole.
func (s *scanner) jsonHeader(b []byte) error {
	if s.header {
		return nil
	}
	var h MessageHeader
	n, err := parseHeader(b, &h)
	s.header = n > 0
	return err
}
