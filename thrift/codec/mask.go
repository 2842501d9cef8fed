package codec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Mask is a set of paths into the messages of a struct type, ready to be applied to bytes.
// Package fieldmask gives it to users.
type Mask struct {
	root  maskNode
	name  string // of the struct
	black bool
	paths []string
	nodes int
}

// What a mask may cost: its paths may come from a stranger.
const (
	maskNodes = 10_000 // fields, elements and keys that the paths name in all
	maskDepth = 256    // steps of a path
)

// A maskNode is a place that paths reach.
type maskNode struct {
	typ  *shape
	all  bool // a path ends here
	any  *maskNode
	ids  map[int64]*maskNode  // fields by number, elements by index, keys that are numbers
	keys map[string]*maskNode // keys that are text
}

// at is the node of a field, an element or a key, nil if no path leads there.
func (n *maskNode) at(id int64) *maskNode {
	if m, ok := n.ids[id]; ok {
		return m
	}
	return n.any
}

func (n *maskNode) atKey(key []byte) *maskNode {
	if m, ok := n.keys[string(key)]; ok {
		return m
	}
	return n.any
}

// NewMask makes a mask for a struct type of generated code, which t is.
func NewMask(t reflect.Type, black bool, paths []string) (*Mask, error) {
	p := reflect.PointerTo(t)
	if t.Kind() != reflect.Struct || !p.Implements(reflect.TypeFor[BinaryDecoder]()) && !p.Implements(reflect.TypeFor[CompactDecoder]()) {
		return nil, fmt.Errorf("fieldmask: %v is no struct that seam gen has written", t)
	}
	s := shapeOf(t)
	m := &Mask{root: maskNode{typ: &shape{wire: TypeStruct, fields: s}}, name: s.name, black: black, paths: slices.Clone(paths)}
	if len(paths) == 0 && !black {
		m.root.all = true // as thriftgo has it: no mask
	}
	for _, path := range paths {
		p := maskPath{m: m, text: path}
		if err := p.add(); err != nil {
			return nil, fmt.Errorf("fieldmask: path %s: %w", clipped(path), err)
		}
	}
	if !m.root.settle(m) {
		return nil, fmt.Errorf("fieldmask: %w", errMaskSize)
	}
	return m, nil
}

// Paths are those that the mask was made of, and whether it is a black list.
func (m *Mask) Paths() (paths []string, black bool) { return slices.Clone(m.paths), m.black }

var errMaskSize = fmt.Errorf("the paths name more than %d places", maskNodes)

// clipped is text of a stranger for an error.
func clipped(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}

// A maskPath is a path that is being read.
type maskPath struct {
	m    *Mask
	text string
	i    int
	end  []*maskNode // where the steps so far lead
}

func (p *maskPath) wrong(format string, args ...any) error {
	return fmt.Errorf("%s at byte %d", fmt.Sprintf(format, args...), p.i+1)
}

// add puts the path into the mask.
func (p *maskPath) add() error {
	if !strings.HasPrefix(p.text, "$") {
		return errors.New("it doesn't begin with $, which stands for the message")
	}
	p.i, p.end = 1, []*maskNode{&p.m.root}
	for steps := 0; p.i < len(p.text); steps++ {
		if steps == maskDepth {
			return fmt.Errorf("it has more than %d steps", maskDepth)
		}
		typ := p.end[0].typ
		var err error
		switch c := p.text[p.i]; c {
		case '.':
			err = p.field(typ)
		case '[':
			if typ.wire != TypeList && typ.wire != TypeSet {
				return p.wrong("a %s has no elements by number: [", typ.describe())
			}
			err = p.elements(']', typ.elem, func(text string) (int64, string, error) {
				n, err := strconv.ParseInt(text, 10, 32)
				if err != nil || n < 0 {
					return 0, "", p.wrong("%s is no index of a list", clipped(text))
				}
				return n, "", nil
			})
		case '{':
			if typ.wire != TypeMap {
				return p.wrong("a %s has no keys: {", typ.describe())
			}
			err = p.elements('}', typ.elem, func(text string) (int64, string, error) { return p.key(typ.key, text) })
		default:
			return p.wrong("expected . [ or {, found %s", clipped(string([]rune(p.text[p.i:])[:1])))
		}
		if err != nil {
			return err
		}
	}
	for _, n := range p.end {
		n.all = true
	}
	return nil
}

// describe names a type in an error.
func (s *shape) describe() string {
	if s.wire == TypeStruct {
		return "struct " + s.fields.name
	}
	return s.wire.String()
}

// field reads a step to a field, or to all of them.
func (p *maskPath) field(typ *shape) error {
	from := p.i + 1
	to := from
	for to < len(p.text) && !strings.ContainsRune(".[]{},\"$", rune(p.text[to])) {
		to++
	}
	name := p.text[from:to]
	if typ.wire != TypeStruct {
		return p.wrong("a %s has no fields: .%s", typ.describe(), strings.Trim(clipped(name), `"`))
	}
	if name == "*" {
		if p.i = to; to < len(p.text) {
			return p.wrong(".* stands for all of a struct's fields, so the path ends there; found %s", clipped(p.text[to:]))
		}
		return nil // all of the struct: the path ends here
	}
	if name == "" {
		p.i = from
		return p.wrong("the name of a field is missing")
	}
	fields := typ.fields.fields
	k := slices.IndexFunc(fields, func(f fieldShape) bool { return f.name == name })
	if k < 0 {
		if id, err := strconv.ParseInt(name, 10, 16); err == nil {
			k = slices.IndexFunc(fields, func(f fieldShape) bool { return f.id == int16(id) })
		}
	}
	if k < 0 {
		p.i = from
		return p.wrong("%s has no field %s%s", typ.fields.name, clipped(name), typ.fields.names())
	}
	p.i = to
	return p.step(fields[k].typ, []int64{int64(fields[k].id)}, nil)
}

// names lists the fields of a struct for an error.
func (s *structShape) names() string {
	const most = 10
	var list []string
	for _, f := range s.fields[:min(most, len(s.fields))] {
		list = append(list, f.name)
	}
	switch {
	case len(list) == 0:
		return ", nor any other,"
	case len(s.fields) > most:
		list = append(list, "…")
	}
	return " (it has " + strings.Join(list, ", ") + ")"
}

// elements reads a step to some elements of a container, or to all.
func (p *maskPath) elements(end byte, elem *shape, read func(string) (int64, string, error)) error {
	var ids []int64
	var keys []string
	all := false
	p.i++
	for more := true; more; {
		from := p.i
		text, err := p.token()
		if err != nil {
			return err
		}
		after := p.i
		p.i = from
		switch {
		case text == "*":
			all = true
		case text == "":
			return p.wrong("an index, a key or * is missing")
		default:
			id, key, err := read(text)
			if err != nil {
				return err
			}
			if text[0] == '"' {
				keys = append(keys, key)
			} else {
				ids = append(ids, id)
			}
		}
		p.i = after
		switch {
		case p.i < len(p.text) && p.text[p.i] == ',':
		case p.i < len(p.text) && p.text[p.i] == end:
			more = false
		default:
			return p.wrong("expected , or %c", end)
		}
		p.i++
	}
	if all {
		ids, keys = nil, nil
		return p.star(elem)
	}
	return p.step(elem, ids, keys)
}

// token is what stands up to a comma or a bracket; text in quotation marks may have those.
func (p *maskPath) token() (string, error) {
	rest := p.text[p.i:]
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", p.wrong("the quotation mark has no second one")
		}
		p.i += len(quoted)
		return quoted, nil
	}
	n := strings.IndexAny(rest, ",]}")
	if n < 0 {
		n = len(rest)
	}
	p.i += n
	return strings.TrimSpace(rest[:n]), nil
}

// key reads a key of a map.
func (p *maskPath) key(typ *shape, text string) (int64, string, error) {
	switch typ.wire {
	case TypeString:
		if text[0] != '"' {
			return 0, "", p.wrong("keys of this map are text, in quotation marks; found %s", clipped(text))
		}
		s, err := strconv.Unquote(text)
		if err != nil {
			return 0, "", p.wrong("%s can't be read", clipped(text))
		}
		return 0, s, nil
	case TypeI8, TypeI16, TypeI32, TypeI64:
		bits := map[Type]int{TypeI8: 8, TypeI16: 16, TypeI32: 32, TypeI64: 64}[typ.wire]
		n, err := strconv.ParseInt(text, 10, bits)
		if err != nil {
			return 0, "", p.wrong("keys of this map are numbers of %d bits; found %s", bits, clipped(text))
		}
		return n, "", nil
	}
	return 0, "", p.wrong("keys of this map are of type %s, which no path can name: only {*} is possible", typ.describe())
}

// step goes on to children of where the path is.
func (p *maskPath) step(typ *shape, ids []int64, keys []string) error {
	var next []*maskNode
	seen := map[*maskNode]bool{}
	add := func(n *maskNode) {
		if !seen[n] { // an index that is there twice
			seen[n] = true
			next = append(next, n)
		}
	}
	for _, n := range p.end {
		for _, id := range ids {
			if n.ids == nil {
				n.ids = map[int64]*maskNode{}
			}
			if n.ids[id] == nil {
				if p.m.nodes++; p.m.nodes > maskNodes {
					return errMaskSize
				}
				n.ids[id] = &maskNode{typ: typ}
			}
			add(n.ids[id])
		}
		for _, key := range keys {
			if n.keys == nil {
				n.keys = map[string]*maskNode{}
			}
			if n.keys[key] == nil {
				if p.m.nodes++; p.m.nodes > maskNodes {
					return errMaskSize
				}
				n.keys[key] = &maskNode{typ: typ}
			}
			add(n.keys[key])
		}
	}
	p.end = next
	return nil
}

// star goes on to all elements of where the path is.
func (p *maskPath) star(typ *shape) error {
	for i, n := range p.end {
		if n.any == nil {
			if p.m.nodes++; p.m.nodes > maskNodes {
				return errMaskSize
			}
			n.any = &maskNode{typ: typ}
		}
		p.end[i] = n.any
	}
	return nil
}

// settle makes each node hold all that paths say of it: a path to all elements is one to each
// of those that others name. It is false if that is too much.
func (n *maskNode) settle(m *Mask) bool {
	if n.all {
		n.any, n.ids, n.keys = nil, nil, nil // nothing below matters
		return true
	}
	if n.any != nil && !n.any.settle(m) {
		return false
	}
	for _, child := range n.children() {
		if n.any != nil && !child.merge(n.any, m) || !child.settle(m) {
			return false
		}
	}
	return true
}

func (n *maskNode) children() []*maskNode {
	list := make([]*maskNode, 0, len(n.ids)+len(n.keys))
	for _, c := range n.ids {
		list = append(list, c)
	}
	for _, c := range n.keys {
		list = append(list, c)
	}
	return list
}

// merge adds what another node of the same type says.
func (n *maskNode) merge(other *maskNode, m *Mask) bool {
	n.all = n.all || other.all
	if n.all {
		return true
	}
	into := func(to **maskNode, from *maskNode) bool {
		if *to == nil {
			if m.nodes++; m.nodes > maskNodes {
				return false
			}
			*to = &maskNode{typ: from.typ}
		}
		return (*to).merge(from, m)
	}
	if other.any != nil && !into(&n.any, other.any) {
		return false
	}
	for id, from := range other.ids {
		to := n.ids[id]
		if !into(&to, from) {
			return false
		}
		if n.ids == nil {
			n.ids = map[int64]*maskNode{}
		}
		n.ids[id] = to
	}
	for key, from := range other.keys {
		to := n.keys[key]
		if !into(&to, from) {
			return false
		}
		if n.keys == nil {
			n.keys = map[string]*maskNode{}
		}
		n.keys[key] = to
	}
	return true
}
