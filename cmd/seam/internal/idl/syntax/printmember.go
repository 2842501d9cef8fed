package syntax

import (
	"slices"
	"strconv"
	"strings"
)

func (p *printer) function(f *Function) {
	parted := false
	if f.Oneway {
		p.word("oneway", false)
		parted = true
	}
	p.fieldType(f.Result, parted)
	p.word(f.Name.Name, true)
	p.fields("(", ")", false, f.Args, f.ArgLines)
	if len(f.Throws) > 0 {
		p.word("throws", true)
		p.fields("(", ")", true, f.Throws, f.ThrowLines)
	}
	p.annotations(f.Annotations)
}

// fields writes fields between brackets.
func (p *printer) fields(open, closing string, parted bool, list []*Field, lines bool) {
	lines = lines || slices.ContainsFunc(list, ownLine)
	p.list(open, closing, parted, len(list), lines, func(i int, lines bool) {
		f := list[i]
		var outer node
		if lines {
			outer = p.begin(&f.Comments, breaks(i, &f.Comments))
		} else {
			p.part(i > 0)
			outer = p.enter(&f.Comments)
		}
		p.field(f)
		p.end(outer, lines || i < len(list)-1, lines)
	})
}

// ownLine reports whether the field's comments can't share a line with other
// fields.
func ownLine(f *Field) bool {
	return len(f.Comments.Before) > 0 || endsLine(f.Comments.After) ||
		slices.ContainsFunc(f.Comments.After, func(text string) bool { return strings.Contains(text, "\n") })
}

func (p *printer) field(f *Field) {
	parted := false
	if f.HasID {
		p.word(strconv.FormatInt(f.ID, 10), false)
		p.word(":", false)
		parted = true
	}
	switch f.Req {
	case Required:
		p.word("required", parted)
		parted = true
	case Optional:
		p.word("optional", parted)
		parted = true
	}
	p.fieldType(f.Type, parted)
	if f.Reference {
		p.word("&", true)
	}
	p.word(f.Name.Name, true)
	if f.Default != nil {
		p.word("=", true)
		p.value(f.Default, true)
	}
	if x := f.Xsd; x != nil {
		p.xsd(x)
	}
	p.annotations(f.Annotations)
}

func (p *printer) xsd(x *Xsd) {
	if x.Optional {
		p.word("xsd_optional", true)
	}
	if x.Nillable {
		p.word("xsd_nillable", true)
	}
	if x.HasAttrs {
		p.word("xsd_attrs", true)
		p.fields("{", "}", true, x.Attrs, x.AttrLines)
	}
}

func (p *printer) fieldType(t *Type, parted bool) {
	switch t.Kind {
	case NamedType:
		p.word(t.Name, parted)
	case ListType:
		p.word("list", parted)
	case SetType:
		p.word("set", parted)
	case MapType:
		p.word("map", parted)
	}
	if t.Kind != NamedType {
		if t.CppType != "" {
			p.word("cpp_type", true)
			p.word(quote(t.CppType), true)
		}
		p.word("<", t.CppType != "")
		if t.Kind == MapType {
			p.fieldType(t.Key, false)
			p.word(",", false)
		}
		p.fieldType(t.Elem, t.Kind == MapType)
		p.word(">", false)
	}
	p.annotations(t.Annotations)
}

// annotations writes annotations on one line, or on the lines where they were.
func (p *printer) annotations(list []*Annotation) {
	if len(list) == 0 {
		return
	}
	p.word("(", true)
	lines := list[0].Break
	base, hang := p.base, p.hang
	if lines {
		p.base += step
		p.hang = p.base
	}
	for i, a := range list {
		p.element(a.Break, 1)
		p.word(a.Name, i > 0)
		if a.HasValue {
			p.word("=", true)
			p.word(quote(a.Value), true)
		}
		if lines || i < len(list)-1 {
			p.separator()
		}
	}
	p.close(lines, base)
	p.word(")", false)
	p.hang = hang
}

// element begins an element of a list inside the node: on a new line if it is
// to have one, unless the comment before it is on its line.
func (p *printer) element(ownLine bool, breaks int) {
	written := p.inner
	p.flush()
	if ownLine && p.inner == written {
		p.newline(breaks, p.hang)
	}
}

// close goes to the place of the bracket that closes a list inside the node.
func (p *printer) close(lines bool, base int) {
	p.flush()
	if lines {
		p.newline(1, base)
	}
	p.base = base
}
