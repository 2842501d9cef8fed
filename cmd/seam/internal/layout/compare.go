package layout

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A Mismatch is one difference between two layouts, and how to fix it.
type Mismatch struct {
	Path string `json:"path"` // the field, "" for the whole type
	What string `json:"what"`
	Fix  string `json:"mend"`
}

// maxMismatches bounds the mismatches reported for one pair.
const maxMismatches = 200

// follows is the Fix of what goes away with the mismatch above it.
const follows = "follows from the mismatch above"

// comparer compares two types.
type comparer struct {
	anyAlign bool // a difference of alignment is not a mismatch
	places   bool // what lies at one place and has one size is alike
	pkg      string
	found    []Mismatch
	notes    []string
	seen     map[[2]*Type]compared
	more     int
	lengths  bool // Go's lengths, which have a sign and never use it
}

type compared struct {
	path  string
	found int
}

func (c *comparer) mismatch(path, what, fix string) {
	if len(c.found) == maxMismatches {
		c.more++
		return
	}
	c.found = append(c.found, Mismatch{path, what, fix})
}

func (c *comparer) note(format string, args ...any) {
	if len(c.notes) < maxMismatches {
		c.notes = append(c.notes, fmt.Sprintf(format, args...))
	}
}

// compare compares a whole pair.
func (c *comparer) compare(g, k *Type) {
	c.seen = map[[2]*Type]compared{}
	c.types("", g, k)
	if k.class {
		for i := range k.Fields {
			if strings.HasPrefix(k.Fields[i].Name, "_vptr") {
				c.note("%s has virtual functions: its first word belongs to C++, and objects must be made there", k.shown())
			}
		}
	}
	if g.Align == k.Align {
		return
	}
	what := fmt.Sprintf("Go aligns it to %s, C to %s", bytesOf(g.Align), bytesOf(k.Align))
	fix := fmt.Sprintf("let C allocate it, because memory that Go allocates may not start at a multiple of %d, and pass --any-align", k.Align)
	if g.Align > k.Align {
		fix = fmt.Sprintf("C may place it at an address that is not a multiple of %d, where Go must not read it: copy it, or make sure that C aligns it and pass --any-align", g.Align)
	}
	if c.anyAlign {
		c.note("%s (--any-align)", what)
		return
	}
	c.mismatch("", what, fix)
}

// structs compares the members of two structs.
func (c *comparer) structs(path string, g, k *Type) {
	key := [2]*Type{g, k}
	if was, ok := c.seen[key]; ok {
		if was.found > 0 {
			c.mismatch(path, "differs as "+orWhole(was.path)+" does", "it is the same type: fix it there")
		}
		return
	}
	before := len(c.found)
	cm := cMembers(k)
	gm := goMembers(g, cm)
	w := &walk{comparer: c, path: path, g: g, c: k, gm: gm, cm: cm, partner: match(gm, cm)}
	w.run()
	if g.Size != k.Size {
		w.size()
	}
	c.seen[key] = compared{path, len(c.found) - before}
}

func orWhole(path string) string {
	if path == "" {
		return "the whole type"
	}
	return path
}

// walk goes through the members of two structs side by side.
type walk struct {
	*comparer
	path    string
	g, c    *Type
	gm, cm  []member
	partner []int // of each member of C

	told      []bool // members of Go that need no word any more
	displaced []bool // members of C whose partner stands in another order
	shift     int64  // how much further behind Go's members are
	explained bool   // by what was said just now
	header    bool   // of a string or slice, whose lengths have a sign
}

func (w *walk) run() {
	w.told = make([]bool, len(w.gm))
	w.header = w.g.Kind == String || w.g.Kind == Slice
	for _, i := range w.partner {
		if i >= 0 {
			w.told[i] = true
		}
	}
	w.displaced = displaced(w.partner, len(w.gm))
	next := 0
	for j := range w.cm {
		i := w.partner[j]
		for ; i >= 0 && next < i; next++ {
			w.extra(next)
		}
		switch {
		case w.cm[j].bits != nil:
			w.bitFields(j)
		case i < 0:
			w.missing(j)
		case w.covers(i, j):
		default:
			w.both(i, j)
		}
	}
	for ; next < len(w.gm); next++ {
		w.extra(next)
	}
}

// both compares two members that belong together.
func (w *walk) both(i, j int) {
	g, c := &w.gm[i], &w.cm[j]
	path := fieldPath(w.path, g.label())
	if c.Name != "" && !sameName(g, c) && !(g.field.padding() && c.field != nil && c.field.padding()) && !w.header {
		w.note("%s is %s in C (matched by its offset, %d)", path, c.Name, c.Offset)
	} else if c.Name == "" && !w.header {
		w.note("%s is the %s at %d in C", path, c.label(), c.Offset)
	}
	moved := false
	if shift := g.Offset - c.Offset; shift != 0 && w.displaced[j] {
		w.mismatch(path, fmt.Sprintf("at %d in Go, at %d in C: the order differs", g.Offset, c.Offset), w.order(j))
		moved = true
	} else if shift != w.shift {
		w.moved(path, g, c, shift-w.shift)
		w.shift = shift
	} else if shift != 0 {
		fix := follows
		if w.c.Packed && c.Offset%g.Align != 0 {
			fix = w.unaligned(g, c)
		}
		w.mismatch(path, fmt.Sprintf("at %d in Go, at %d in C", g.Offset, c.Offset), fix)
	}
	w.explained = false
	before := len(w.found)
	lengths := w.lengths
	w.lengths = w.header
	w.types(path, g.Type, c.Type)
	w.lengths = lengths
	w.explained = moved || len(w.found) > before && g.Size != c.Size
}

// covers takes fields of Go for a union of C that begins where the first does, if
// together they have all of its bytes, as EpollEvent's Fd and Pad have. They are numbers, or
// what one of its members has there: nothing else of Go's can hold any bytes.
func (w *walk) covers(i, j int) bool {
	g, c := &w.gm[i], &w.cm[j]
	if c.Type.Kind != Union || g.Offset != c.Offset+w.shift || g.Size >= c.Size || !w.inUnion(g, c) {
		return false
	}
	names := []string{g.label()}
	at := g.end()
	last := i
	for n := i + 1; n < len(w.gm) && at < c.end()+w.shift; n++ {
		m := &w.gm[n]
		if m.Offset != at || w.told[n] || !w.inUnion(m, c) {
			return false
		}
		names, at, last = append(names, m.label()), m.end(), n
	}
	if at != c.end()+w.shift {
		return false
	}
	for n := i + 1; n <= last; n++ {
		w.told[n] = true
	}
	w.note("%s take the place of C's union %s", strings.Join(names, ", "), c.label())
	w.explained = false
	return true
}

// inUnion reports whether a field of Go may stand for a part of a union.
func (w *walk) inUnion(g, c *member) bool {
	if g.Type.numbers() {
		return true
	}
	for i := range c.Type.Fields {
		f := &c.Type.Fields[i]
		parts := []member{{Offset: f.Offset, Size: f.Size(), Type: f.Type}}
		if f.Type.Kind == Struct {
			parts = append(parts, cMembers(f.Type)...)
		}
		for _, p := range parts {
			try := &comparer{pkg: w.pkg, seen: map[[2]*Type]compared{}}
			if p.bits == nil && p.Offset == g.Offset-w.shift-c.Offset && p.Size == g.Size {
				if try.types("", g.Type, p.Type); len(try.found) == 0 {
					return true
				}
			}
		}
	}
	return false
}

// displaced finds the members whose partner comes before one that is earlier in C,
// or after one that is later in C.
func displaced(partner []int, n int) []bool {
	out := make([]bool, len(partner))
	most := -1
	for j, i := range partner {
		out[j] = i >= 0 && i < most
		most = max(most, i)
	}
	least := n
	for j, i := range slices.Backward(partner) {
		out[j] = out[j] || i > least
		if i >= 0 {
			least = min(least, i)
		}
	}
	return out
}

// order says where in Go a member of C belongs.
func (w *walk) order(j int) string {
	for k := j - 1; k >= 0; k-- {
		if i := w.partner[k]; i >= 0 {
			return fmt.Sprintf("put it after %s, as in C", w.gm[i].label())
		}
	}
	return "put it first, as in C"
}

// moved says why a member of Go comes later than in C, by this many bytes more than
// the members before it.
func (w *walk) moved(path string, g, c *member, by int64) {
	what := fmt.Sprintf("at %d in Go, at %d in C", g.Offset, c.Offset)
	packed := w.c.Packed && c.Offset%g.Align != 0
	switch {
	case packed:
		w.mismatch(path, what+fmt.Sprintf(": C's %s is packed", w.c.shown()), w.unaligned(g, c))
	case w.explained:
		w.mismatch(path, what, follows)
	case by < 0:
		w.mismatch(path, what, fmt.Sprintf("insert _ [%d]byte before %s", -by, g.label()))
	default:
		w.mismatch(path, what, fmt.Sprintf("Go has %s more before %s: remove them, or add them to C's %s too", bytesOf(by), g.label(), w.c.shown()))
	}
}

// unaligned says how to declare a member in Go that isn't aligned in C.
func (w *walk) unaligned(g, c *member) string {
	how := "encoding/binary"
	if c.Type.aggregate() {
		how = "copy"
	}
	return fmt.Sprintf("Go can't lay out %s (%s, aligned to %d) at %d: make it [%d]byte and use %s", g.label(), goSpelling(g.Type, w.pkg), g.Align, c.Offset, c.Size, how)
}

// extra reports a member of Go without a partner in C.
func (w *walk) extra(i int) {
	g := &w.gm[i]
	if w.told[i] || g.Size == 0 {
		return
	}
	w.told[i] = true
	c := fieldPath(w.path, g.label())
	inC := overlapping(w.cm, g.Offset-w.shift, g.end()-w.shift)
	if g.field.blank() || g.field.padding() && !inC {
		return
	}
	w.explained = true
	if !inC && g.end() <= w.c.Size {
		w.mismatch(c, fmt.Sprintf("C has no field here, only padding (%s at %d)", bytesOf(g.Size), g.Offset),
			fmt.Sprintf("C may overwrite it: make it _ [%d]byte, or add it to C's %s", g.Size, w.c.shown()))
		return
	}
	w.mismatch(c, fmt.Sprintf("C has no field for it (%s, %s at %d)", goSpelling(g.Type, w.pkg), bytesOf(g.Size), g.Offset), "remove it, or add it to C's "+w.c.shown())
}

// missing reports a member of C without a partner in Go.
func (w *walk) missing(j int) {
	if len(w.found) == maxMismatches {
		w.comparer.more++ // nobody reads more of them, and looking takes time
		return
	}
	c := &w.cm[j]
	label := c.label()
	path := fieldPath(w.path, label)
	if c.Type.Kind == Array && c.Size == 0 {
		w.note("%s has no size and starts at %d: in Go, reach it with unsafe.Add(pointer, %d)", path, c.Offset, c.Offset)
		return
	}
	if c.Size == 0 {
		return
	}
	hidden := slices.ContainsFunc(w.gm, func(m member) bool {
		return (m.field.blank() || m.field.padding()) && m.Offset <= c.Offset+w.shift && m.end() >= c.end()+w.shift
	})
	isPadding := c.field != nil && c.field.padding()
	switch {
	case hidden && w.g.fromCgo && !isPadding:
		why := "Go has no such type"
		if c.Type.Align > 1 && c.Offset%c.Type.Align != 0 {
			why = fmt.Sprintf("Go can't align a %s to %d", c.Type.shown(), c.Offset)
		}
		w.mismatch(path, fmt.Sprintf("cgo left it out: %s (%s at %d); Go has only unnamed bytes", why, bytesOf(c.Size), c.Offset),
			fmt.Sprintf("declare a struct of your own with %s [%d]byte and use encoding/binary, or read it in a C function", exported(label), c.Size))
	case hidden:
		if !isPadding {
			w.note("C's %s has no name in Go, only its place (%s at %d)", path, bytesOf(c.Size), c.Offset)
		}
	case isPadding && !overlapping(w.gm, c.Offset+w.shift, c.end()+w.shift) && c.end()+w.shift <= w.g.Size:
	default:
		w.explained = true
		before := ""
		for k := j + 1; k < len(w.cm) && before == ""; k++ {
			if i := w.partner[k]; i >= 0 {
				before = " before " + w.gm[i].label()
			}
		}
		if before == "" {
			before = " at the end"
		}
		what := label + " ("
		if c.Name != "" {
			what += c.Type.shown() + ", "
		}
		w.mismatch(path, fmt.Sprintf("Go has no field for C's %s%s at %d)", what, bytesOf(c.Size), c.Offset),
			fmt.Sprintf("add %s %s%s", exported(label), goTypeFor(c.Type), before))
	}
}

// bitFields checks what Go has in place of a group of bit-fields.
func (w *walk) bitFields(j int) {
	c := &w.cm[j]
	at, end := c.Offset+w.shift, c.end()+w.shift
	reversed := slices.ContainsFunc(c.bits, func(f Field) bool { return f.Type.reversed })
	next := w.c.Size
	if j+1 < len(w.cm) {
		next = w.cm[j+1].Offset
	}
	covered := at
	var names []string
	for i := range w.gm {
		m := &w.gm[i]
		free := !w.told[i] || w.partner[j] == i
		if free && m.Offset == covered && m.Size > 0 && covered < end && (!reversed && (m.Type.Kind == Uint || m.Type.Kind == Int) || m.Type.isBytes() || m.Type.Kind == Uint && m.Size == 1) && m.end() <= next+w.shift {
			covered, names = m.end(), append(names, m.label())
			w.told[i] = true
		}
	}
	if covered >= end {
		w.note("the bits of C's %s lie in %s: mask them; --json has their positions", fieldPath(w.path, c.Name), strings.Join(names, ", "))
		return
	}
	w.explained = true
	size := int64(1)
	for size < c.Size || at%size != 0 && size < 8 {
		size *= 2
	}
	kind := fmt.Sprintf("uint%d", 8*size)
	if reversed || size > 8 || at%size != 0 || at+size > next+w.shift {
		kind = fmt.Sprintf("[%d]byte", c.Size)
	}
	w.mismatch(fieldPath(w.path, c.Name), fmt.Sprintf("C has bit-fields here (%s at %d), and Go has none", bytesOf(c.Size), c.Offset),
		fmt.Sprintf("put one %s in their place and mask the bits", kind))
}

// size says why two structs differ in size.
func (w *walk) size() {
	what := fmt.Sprintf("%s in Go, %s in C", bytesOf(w.g.Size), bytesOf(w.c.Size))
	n := len(w.gm)
	switch {
	case n > 0 && w.gm[n-1].Size == 0 && w.g.Size > w.c.Size:
		w.mismatch(w.path, what, fmt.Sprintf("Go pads a struct that ends in a zero-size field: leave %s out, or put it first", w.gm[n-1].label()))
	case w.explained || w.shift != 0:
		w.mismatch(w.path, what, follows)
	case w.g.Size < w.c.Size:
		w.mismatch(w.path, what, fmt.Sprintf("insert _ [%d]byte at the end", w.c.Size-w.g.Size))
	case w.c.Packed:
		w.mismatch(w.path, what+fmt.Sprintf(": C's %s is packed, and Go pads it to a multiple of %d", w.c.shown(), w.g.Align),
			"make the fields with that alignment byte arrays and use encoding/binary")
	default:
		w.mismatch(w.path, what, fmt.Sprintf("remove %s from Go's struct, or add them to C's %s", bytesOf(w.g.Size-w.c.Size), w.c.shown()))
	}
}

// exported is a C name as a Go field.
func exported(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ' ' || r == ':' }) {
		r := []rune(part)
		r[0] = unicode.ToUpper(r[0])
		b.WriteString(string(r))
	}
	if b.Len() == 0 {
		return "Field"
	}
	return b.String()
}
