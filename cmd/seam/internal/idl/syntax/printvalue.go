package syntax

import (
	"strconv"
)

func (p *printer) value(v *Value, parted bool) {
	switch v.Kind {
	case ListValue:
		p.word("[", parted)
		p.elements(v, len(v.List), func(i int) (first, last *Value) {
			return v.List[i], v.List[i]
		}, func(i int) {
			p.value(v.List[i], i > 0)
		})
		p.word("]", false)
	case MapValue:
		p.word("{", parted)
		p.elements(v, len(v.Map), func(i int) (first, last *Value) {
			return v.Map[i].Key, v.Map[i].Value
		}, func(i int) {
			p.value(v.Map[i].Key, i > 0)
			p.word(":", false)
			p.value(v.Map[i].Value, true)
		})
		p.word("}", false)
	default:
		p.word(v.source(), parted)
	}
}

// elements writes what is between the brackets of a list or a map: on one
// line if it was on one, or else with its line ends.
func (p *printer) elements(v *Value, n int, ends func(i int) (first, last *Value), write func(i int)) {
	lines := v.End.Line > v.Pos.Line && (n > 0 || p.commented())
	base, hang := p.base, p.hang
	if lines {
		p.base += step
		p.hang = p.base
	}
	before := v.Pos.Line
	for i := range n {
		first, last := ends(i)
		breaks := 1
		if first.Pos.Line > before+1 && i > 0 {
			breaks = 2
		}
		p.element(lines && (i == 0 || first.Pos.Line > before), breaks)
		before = last.End.Line
		write(i)
		if lines || i < n-1 {
			p.separator()
		}
	}
	p.close(lines, base)
	p.hang = hang
}

// commented reports whether a comment follows the word just written.
func (p *printer) commented() bool {
	all := p.comments.Inner
	return p.inner < len(all) && all[p.inner].Word < p.words
}

// source is a simple value as it is written.
func (v *Value) source() string {
	switch {
	case v.Kind == StringValue:
		return quote(v.Text)
	case v.Text != "":
		return v.Text
	case v.Kind == DoubleValue: // made, not parsed
		return strconv.FormatFloat(v.Double, 'e', -1, 64)
	}
	return strconv.FormatInt(v.Int, 10)
}
