package codec

import (
	"encoding/hex"
	"fmt"
)

// A UUID is a value of Thrift's type uuid, in the order of the bytes on the
// wire. Its text, in JSON too, is the form with 36 letters.
type UUID [16]byte

// String returns the form with 36 letters: 8-4-4-4-12 small hexadecimal digits.
func (u UUID) String() string {
	text, _ := u.AppendText(make([]byte, 0, 36))
	return string(text)
}

// AppendText appends what String returns to b.
func (u UUID) AppendText(b []byte) ([]byte, error) {
	for i, part := range [][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return b, nil
}

// MarshalText returns what String returns.
func (u UUID) MarshalText() ([]byte, error) { return u.AppendText(make([]byte, 0, 36)) }

// UnmarshalText parses what [ParseUUID] parses.
func (u *UUID) UnmarshalText(text []byte) error {
	parsed, err := ParseUUID(string(text))
	if err == nil {
		*u = parsed
	}
	return err
}

// ParseUUID reads a UUID of 36 letters, hexadecimal digits of either case with
// four hyphens, or of 32 without them. Either may be in braces.
func ParseUUID(text string) (UUID, error) {
	digits := text
	if n := len(digits); n > 2 && digits[0] == '{' && digits[n-1] == '}' {
		digits = digits[1 : n-1]
	}
	if len(digits) == 36 && digits[8] == '-' && digits[13] == '-' && digits[18] == '-' && digits[23] == '-' {
		digits = digits[:8] + digits[9:13] + digits[14:18] + digits[19:23] + digits[24:]
	}
	var u UUID
	if len(digits) == 32 {
		if _, err := hex.Decode(u[:], []byte(digits)); err == nil {
			return u, nil
		}
	}
	return UUID{}, fmt.Errorf("%.60q is not a uuid: it has the form 01234567-89ab-cdef-0123-456789abcdef", text)
}
