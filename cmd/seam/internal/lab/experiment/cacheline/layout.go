package cacheline

// A field is a member of a struct.
type field struct {
	name     string
	at, size int
}

// A layout is how a struct lies, as its compiler says.
type layout struct {
	size, align int
	first       int     // where the first of an array is, from a line's beginning
	fields      []field // the last is the sum
}

// bytes is how much the fields take, without padding.
func (l layout) bytes() int {
	n := 0
	for _, f := range l.fields {
		n += f.size
	}
	return n
}

// fewest is how many lines the fields need at least.
func (l layout) fewest() int { return (l.bytes() + line - 1) / line }

// touched returns how many lines hold fields of the struct at an address, and how many
// of its fields lie on two lines.
func (l layout) touched(at uintptr) (lines, split int) {
	last := uintptr(0)
	for i, f := range l.fields {
		from := (at + uintptr(f.at)) / line
		to := (at + uintptr(f.at+f.size) - 1) / line
		if i == 0 || from > last {
			lines++
		}
		if to > from {
			lines++
			split++
		}
		last = to
	}
	return lines, split
}

// A census is what many structs of one layout do to lines.
type census struct {
	structs, lines       int
	split                int // structs on more lines than they need
	fields, splitsFields int
}

func (c *census) add(l layout, at uintptr) {
	lines, split := l.touched(at)
	c.structs++
	c.lines += lines
	if lines > l.fewest() {
		c.split++
	}
	c.fields += len(l.fields)
	c.splitsFields += split
}

// array counts n structs side by side.
func (l layout) array(at uintptr, n int) (c census) {
	for i := range n {
		c.add(l, at+uintptr(i*l.size))
	}
	return c
}

// expected counts by the layout alone: in an array the structs' places on their lines
// repeat after 64 structs at most.
func (l layout) expected() census { return l.array(uintptr(l.first), line) }

func (c census) perStruct() float64   { return float64(c.lines) / float64(c.structs) }
func (c census) splitShare() float64  { return 100 * float64(c.split) / float64(c.structs) }
func (c census) fieldsShare() float64 { return 100 * float64(c.splitsFields) / float64(c.fields) }
