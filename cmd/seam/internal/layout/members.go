package layout

import (
	"fmt"
	"slices"
	"strings"
)

// A member is a field as far as the other language can see it: fields of unnamed
// structs and base classes count as the struct's own, and bit-fields that share
// bytes are one.
type member struct {
	Name   string
	Offset int64
	Size   int64
	Align  int64
	Type   *Type
	bits   []Field // of a group of bit-fields
	short  string  // C: the name without what all names begin with
	access string  // C: how to write it in offsetof; "" if it can't be
	field  *Field
}

func (m *member) end() int64 { return m.Offset + m.Size }

// label is the member's name for people.
func (m *member) label() string {
	if m.Name == "" {
		return "unnamed " + string(m.Type.Kind)
	}
	return m.Name
}

// cMembers are the members of a struct of C.
func cMembers(t *Type) []member {
	var list []member
	var walk func(t *Type, base int64, prefix string, reachable bool)
	walk = func(t *Type, base int64, prefix string, reachable bool) {
		for i := range t.Fields {
			f := &t.Fields[i]
			reachable := reachable && !f.private
			if f.Embedded && f.Type.Kind == Struct {
				if len(f.Type.Fields) > 0 || f.Type.Size > 1 { // an empty base class takes no place
					walk(f.Type, base+f.Offset, prefix, reachable)
				}
				continue
			}
			if t.reused(i) {
				walk(f.Type, base+f.Offset, prefix+f.Name+".", reachable)
				continue
			}
			m := member{Name: f.Name, Offset: base + f.Offset, Size: f.Size(), Align: f.Align, Type: f.Type, field: f}
			if f.Bits > 0 {
				g := *f
				g.FirstBit += 8 * base
				g.Offset += base
				m.bits = []Field{g}
				m.Name = fmt.Sprintf("%s:%d", f.Name, f.Bits)
			} else if reachable && f.Name != "" && !strings.HasPrefix(f.Name, "_vptr") {
				m.access = prefix + f.Name
			}
			if n := len(list) - 1; n >= 0 && f.Bits > 0 && list[n].bits != nil && m.Offset <= list[n].end() {
				list[n].join(m)
				continue
			}
			list = append(list, m)
		}
	}
	walk(t, 0, "", true)
	list = slices.DeleteFunc(list, func(m member) bool {
		// [[no_unique_address]]: what has no data lies where something else does.
		return m.bits == nil && m.Type.empty() && slices.ContainsFunc(list, func(o member) bool {
			return !o.Type.empty() && o.Size > 0 && o.Offset < m.end() && o.end() > m.Offset
		})
	})
	shorten(list)
	return list
}

// empty reports whether a class has no data.
func (t *Type) empty() bool {
	return t.Kind == Struct && t.Size <= 1 && !slices.ContainsFunc(t.Fields, func(f Field) bool { return !f.Type.empty() })
}

// reused reports whether another field lies in what a field leaves free at its end:
// [[no_unique_address]] again.
func (t *Type) reused(i int) bool {
	f := &t.Fields[i]
	if t.Kind != Struct || f.Type.Kind != Struct || f.Type.Size <= 1 {
		return false
	}
	return slices.ContainsFunc(t.Fields[i+1:], func(o Field) bool { return o.Offset < f.End() && !o.Type.empty() })
}

// shorten takes off what all names begin with, as C's custom is: st_size of struct
// stat is Size in Go.
func shorten(list []member) {
	prefix := ""
	for i := range list {
		list[i].short = list[i].Name
		if m := &list[i]; prefix == "" && m.Name != "" && m.bits == nil && !m.field.padding() {
			at := strings.IndexByte(m.Name, '_')
			if at <= 0 || at == len(m.Name)-1 {
				return
			}
			prefix = m.Name[:at+1]
		}
	}
	n := 0
	for i := range list {
		if m := &list[i]; m.Name == "" || m.bits != nil || m.field.padding() {
			continue
		} else if !strings.HasPrefix(m.Name, prefix) || m.Name == prefix {
			return
		}
		n++
	}
	if n < 2 {
		return
	}
	for i := range list {
		list[i].short = strings.TrimPrefix(list[i].Name, prefix)
	}
}

// sameName reports whether a member of Go is called as one of C.
func sameName(g, c *member) bool {
	name := plainName(g.Name)
	return name == plainName(c.Name) || name == plainName(c.short)
}

// join adds a bit-field to a group that ends where it begins.
func (m *member) join(next member) {
	m.bits = append(m.bits, next.bits...)
	m.Name += " " + next.Name
	m.Size = max(m.end(), next.end()) - m.Offset
	m.Align = max(m.Align, next.Align)
}

// goMembers are the members of a struct of Go. An embedded struct stands for
// itself only where C has a struct at its place.
func goMembers(t *Type, c []member) []member {
	structAt := map[int64]int64{}
	for i := range c {
		if c[i].Type.Kind == Struct {
			structAt[c[i].Offset] = c[i].Size
		}
	}
	var list []member
	var walk func(t *Type, base int64, depth int)
	walk = func(t *Type, base int64, depth int) {
		for i := range t.Fields {
			f := &t.Fields[i]
			at := base + f.Offset
			if size, ok := structAt[at]; f.Embedded && f.Type.Kind == Struct && !(ok && size == f.Type.Size) && depth < maxDepth {
				walk(f.Type, at, depth+1)
				continue
			}
			list = append(list, member{Name: f.Name, Offset: at, Size: f.Type.Size, Align: f.Align, Type: f.Type, field: f})
		}
	}
	walk(t, 0, 0)
	return list
}

// match pairs the members of both sides: by name, then by place. For each member
// of C it gives the index of Go's, or -1.
func match(g, c []member) []int {
	partner := make([]int, len(c))
	taken := make([]bool, len(g))
	byName := map[string][]int{}
	for i := range g {
		if !g[i].field.blank() {
			name := plainName(g[i].Name)
			byName[name] = append(byName[name], i)
		}
	}
	for j := range c {
		partner[j] = -1
		if c[j].bits != nil || c[j].Name == "" {
			continue
		}
		candidates := byName[plainName(c[j].Name)]
		if len(candidates) == 0 {
			candidates = byName[plainName(c[j].short)]
		}
		// Names that differ in case or underscores alone may be several.
		best := -1
		for _, i := range candidates {
			if !taken[i] && (best < 0 || g[i].Offset == c[j].Offset) {
				best = i
			}
		}
		if best >= 0 {
			partner[j], taken[best] = best, true
		}
	}
	byPlace := map[int64][]int{}
	for i := range g {
		if !taken[i] && !g[i].field.blank() {
			byPlace[g[i].Offset] = append(byPlace[g[i].Offset], i)
		}
	}
	for j := range c {
		if partner[j] >= 0 {
			continue
		}
		for _, i := range byPlace[c[j].Offset] {
			// What takes no place is not what has one.
			if !taken[i] && (g[i].Size == 0) == (c[j].Size == 0) {
				partner[j], taken[i] = i, true
				break
			}
		}
	}
	matchRest(g, c, partner, taken)
	return partner
}

// matchRest pairs what has another name and another place: between the same
// neighbours, in order, members of one size are taken for each other.
func matchRest(g, c []member, partner []int, taken []bool) {
	next := 0 // of Go
	for j := range c {
		if partner[j] >= 0 {
			next = max(next, partner[j]+1)
			continue
		}
		if c[j].bits != nil || c[j].Size == 0 {
			continue
		}
		for i := next; i < len(g) && (!taken[i] || g[i].field.blank()); i++ {
			if !taken[i] && !g[i].field.blank() && g[i].Size == c[j].Size {
				partner[j], taken[i], next = i, true, i+1
				break
			}
		}
	}
}

// straddling are the members that lie in more cache lines than they need, where
// the struct begins at the beginning of a line.
func straddling(list []member, line int64) []int {
	var found []int
	for i := range list {
		if m := &list[i]; m.Size > 0 && straddles(m.Offset, m.Size, line) {
			found = append(found, i)
		}
	}
	return found
}

func straddles(at, size, line int64) bool {
	touched := (at+size-1)/line - at/line + 1
	return touched > (size+line-1)/line
}

// overlapping reports whether a member of the list has bytes in [from, to).
func overlapping(list []member, from, to int64) bool {
	return slices.ContainsFunc(list, func(m member) bool { return m.Size > 0 && m.Offset < to && m.end() > from })
}
