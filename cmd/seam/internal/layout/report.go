package layout

import (
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

// docs/layout.md describes the JSON form.
var jsonKind = jsonfile.Kind{Schema: "seam.layout/1"}

// A Report is what was found, for all pairs of some packages.
type Report struct {
	Seam   string   `json:"seam"`
	Go     string   `json:"go"`
	Target Target   `json:"target"`
	Line   int64    `json:"line_bytes"`
	Pairs  []Result `json:"pairs"`
}

// A Result is one pair compared.
type Result struct {
	Package    string      `json:"package"`
	GoName     string      `json:"go_type"`
	CName      string      `json:"c_type"`
	Where      string      `json:"where,omitempty"` // of the directive
	Agrees     bool        `json:"agrees"`
	Go         Side        `json:"go"`
	C          Side        `json:"c"`
	Mismatches []Mismatch  `json:"mismatches"`
	More       int         `json:"more_mismatches,omitempty"` // that are not listed
	Notes      []string    `json:"notes"`
	Suggestion *Suggestion `json:"suggestion,omitempty"`

	goType, cType *Type
	pkg           string // the package's name
}

// Places is how many mismatches there are, listed or not.
func (r *Result) Places() int { return len(r.Mismatches) + r.More }

// A Side is the layout in one language.
type Side struct {
	Type       string        `json:"type"`
	Kind       Kind          `json:"kind"`
	Size       int64         `json:"size"`
	Align      int64         `json:"align"`
	Packed     bool          `json:"packed"`
	Padding    int64         `json:"padding"` // bytes of no field
	Lines      int64         `json:"lines"`   // cache lines that it touches at least
	Straddling []string      `json:"straddling"`
	Fields     []FieldReport `json:"fields"`
}

// A FieldReport is one member. Bit-fields that share bytes are one, with Bits.
type FieldReport struct {
	Name   string      `json:"name"`
	Type   string      `json:"type"`
	Kind   Kind        `json:"kind"`
	Offset int64       `json:"offset"`
	Size   int64       `json:"size"`
	Align  int64       `json:"align"`
	Bits   []BitReport `json:"bits,omitempty"`

	// mark is what the field has in common with its partner on the other side:
	// letter and colour. It is -1 for a field that is padding.
	mark int
}

// A BitReport is one bit-field, its first bit counted from the struct's beginning.
type BitReport struct {
	Name  string `json:"name"`
	First int64  `json:"first_bit"`
	Count int64  `json:"bits"`
}

// Differing counts the pairs that don't agree.
func (r *Report) Differing() int {
	n := 0
	for i := range r.Pairs {
		if !r.Pairs[i].Agrees {
			n++
		}
	}
	return n
}

// WriteJSON writes the report in its JSON form.
func (r *Report) WriteJSON(w io.Writer) error { return jsonKind.Encode(w, r) }

// newResult compares two types.
func newResult(p Pair, importPath, pkg string, g, k *Type, line int64, anyAlign bool) Result {
	c := &comparer{anyAlign: anyAlign, pkg: pkg, found: []Mismatch{}, notes: []string{}}
	c.compare(g, k)
	r := Result{
		Package: importPath, GoName: p.Go, CName: p.C, Where: p.Where, Agrees: len(c.found) == 0,
		Mismatches: c.found, More: c.more, Notes: c.notes, goType: g, cType: k, pkg: pkg,
	}
	cm, gm := cMembers(k), goMembers(g, cMembers(k))
	r.Go = newSide(g, gm, line, func(t *Type) string { return goSpelling(t, pkg) })
	r.C = newSide(k, cm, line, func(t *Type) string { return t.shown() })
	mark(&r, gm, cm)
	if r.Agrees {
		r.Suggestion = suggest(p, pkg, g, k, line)
	}
	return r
}

// mark gives fields that belong together the same letter.
func mark(r *Result, g, c []member) {
	next := 0
	for i := range g {
		if r.Go.Fields[i].mark = -1; !g[i].field.blank() {
			r.Go.Fields[i].mark = next
			next++
		}
	}
	for j, i := range match(g, c) {
		if i >= 0 {
			r.C.Fields[j].mark = r.Go.Fields[i].mark
			continue
		}
		r.C.Fields[j].mark = next
		next++
	}
}

func newSide(t *Type, members []member, line int64, spell func(*Type) string) Side {
	s := Side{
		Type: spell(t), Kind: t.Kind, Size: t.Size, Align: t.Align, Packed: t.Packed,
		Lines: (t.Size + line - 1) / line, Straddling: []string{}, Fields: []FieldReport{},
	}
	if t.Kind == Struct {
		used := int64(0)
		for i := range members {
			m := &members[i]
			if m.field == nil || !m.field.blank() {
				used += m.Size
			}
		}
		s.Padding = max(0, t.Size-used)
		for _, i := range straddling(members, line) {
			s.Straddling = append(s.Straddling, members[i].label())
		}
	}
	for i := range members {
		m := &members[i]
		f := FieldReport{Name: m.Name, Type: spell(m.Type), Kind: m.Type.Kind, Offset: m.Offset, Size: m.Size, Align: m.Align}
		for _, b := range m.bits {
			f.Bits = append(f.Bits, BitReport{b.Name, b.FirstBit, b.Bits})
		}
		s.Fields = append(s.Fields, f)
	}
	return s
}
