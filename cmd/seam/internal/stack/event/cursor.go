package event

import "bytes"

// A cursor reads what is left of a line. Its methods report whether the text was as
// expected; after a false the cursor is of no use.
type cursor struct {
	text []byte
	at   int
}

// is moves on past a text.
func (c *cursor) is(text string) bool {
	if end := c.at + len(text); end <= len(c.text) && string(c.text[c.at:end]) == text {
		c.at = end
		return true
	}
	return false
}

func (c *cursor) end() bool { return c.at == len(c.text) }

// dec reads a decimal number that fits into an int64.
func (c *cursor) dec(v *int64) bool {
	var n uint64
	at, text := c.at, c.text
	for at < len(text) {
		d := text[at] - '0'
		if d > 9 {
			break
		}
		n = n*10 + uint64(d)
		at++
	}
	*v = int64(n)
	digits := at - c.at
	c.at = at
	// 19 digits fit into a uint64.
	return digits > 0 && digits <= 19 && *v >= 0
}

// digit is the value of a hexadecimal digit, and 255 of anything else.
var digit = func() (table [256]uint8) {
	for i := range table {
		table[i] = 255
	}
	for i := range 16 {
		table["0123456789abcdef"[i]] = uint8(i)
	}
	return table
}()

// hex reads what the runtime prints of a hex or a pointer: 0x and digits.
func (c *cursor) hex(v *uint64) bool {
	if !c.is("0x") {
		return false
	}
	var n uint64
	at, text := c.at, c.text
	for at < len(text) {
		d := digit[text[at]]
		if d == 255 {
			break
		}
		n = n<<4 | uint64(d)
		at++
	}
	*v = n
	digits := at - c.at
	c.at = at
	return digits > 0 && digits <= 16
}

// until reads up to a text, or to the end.
func (c *cursor) until(text string) []byte {
	rest := c.text[c.at:]
	if i := bytes.Index(rest, []byte(text)); i >= 0 {
		rest = rest[:i]
	}
	c.at += len(rest)
	return rest
}
