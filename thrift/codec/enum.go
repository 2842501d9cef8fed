package codec

import (
	"fmt"
	"strconv"
)

// EnumNumber writes a number that has no name: Colour(42). Generated code
// calls it.
func EnumNumber(enum string, n int32) string {
	return enum + "(" + strconv.Itoa(int(n)) + ")"
}

// MarshalEnum is the text of an enum whose String is name: the name, or the
// number where it has none. Generated code calls it.
func MarshalEnum(name string, n int32) []byte {
	if name != "" && name[len(name)-1] == ')' { // names have no such letter
		return strconv.AppendInt(nil, int64(n), 10)
	}
	return []byte(name)
}

// ParseEnum reads the text of an enum that is none of its names. Generated
// code calls it.
func ParseEnum(enum, text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("enum %s has no value %.60q: give one of its names, or a number of 32 bits", enum, text)
	}
	return int32(n), nil
}
