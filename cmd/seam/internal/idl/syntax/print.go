package syntax

import (
	"slices"
	"strings"
)

// Print returns the tree as text in the canonical form: members on lines of
// their own with a comma after them, two columns to the right, a blank line
// between definitions. Lines of constants and of arguments, and the blank
// lines that group members, stay as they were. All comments are kept, and
// parsing the text gives the same tree.
func Print(f *File) []byte {
	p := &printer{fresh: true}
	p.file(f)
	if len(p.buf) > 0 {
		p.buf = append(p.buf, '\n')
	}
	return p.aligned()
}

// Format brings the text of a file into the canonical form. It returns nil
// if there are mistakes in it, but not for warnings.
func Format(path string, src []byte) ([]byte, Errors) {
	f, errs := Parse(path, src)
	if errs.Fatal() {
		return nil, errs
	}
	return Print(f), errs
}

// A line is a line of the header or a definition.
type line struct {
	pos      Pos
	kind     string // lines of the same kind may follow each other without a blank line; empty: none
	comments *Comments
	print    func(p *printer)
}

func (p *printer) file(f *File) {
	p.lines(f.Doc.Before, 1)
	p.lines(f.Doc.After, 1)
	before := ""
	for _, l := range append(headerLines(f), declLines(f)...) {
		breaks := 2
		if l.kind != "" && l.kind == before && !l.comments.BlankBefore {
			breaks = 1
		}
		before = l.kind
		outer := p.begin(l.comments, breaks)
		l.print(p)
		p.end(outer, false, true)
	}
	p.lines(f.Tail, 2)
}

// headerLines returns the header in the order of the source.
func headerLines(f *File) []line {
	var all []line
	for _, n := range f.Namespaces {
		all = append(all, line{n.Pos, "namespace", &n.Comments, func(p *printer) { p.namespace(n) }})
	}
	include := func(word string, list []*Include) {
		for _, inc := range list {
			all = append(all, line{inc.Pos, word, &inc.Comments, func(p *printer) {
				p.word(word, false)
				p.word(quote(inc.Path), true)
			}})
		}
	}
	include("include", f.Includes)
	include("cpp_include", f.CppIncludes)
	slices.SortStableFunc(all, func(a, b line) int { return a.pos.Compare(b.pos) })
	return all
}

func (p *printer) namespace(n *Namespace) {
	p.word("namespace", false)
	p.word(n.Language, true)
	if n.Quoted {
		p.word(quote(n.Name), true)
	} else {
		p.word(n.Name, true)
	}
	p.annotations(n.Annotations)
}

func declLines(f *File) []line {
	var all []line
	for _, d := range f.Decls {
		l := line{comments: d.DeclComments()}
		switch d := d.(type) {
		case *Typedef:
			l.kind, l.print = "typedef", func(p *printer) { p.typedef(d) }
		case *Const:
			l.kind, l.print = "const", func(p *printer) { p.constant(d) }
		case *Enum:
			l.print = func(p *printer) { p.enum(d) }
		case *Struct:
			l.print = func(p *printer) { p.structure(d) }
		case *Service:
			l.print = func(p *printer) { p.service(d) }
		}
		all = append(all, l)
	}
	return all
}

func (p *printer) typedef(d *Typedef) {
	p.word("typedef", false)
	p.fieldType(d.Type, true)
	p.word(d.Name.Name, true)
	p.annotations(d.Annotations)
}

func (p *printer) constant(d *Const) {
	p.word("const", false)
	p.fieldType(d.Type, true)
	p.word(d.Name.Name, true)
	p.word("=", true)
	p.value(d.Value, true)
	p.annotations(d.Annotations)
}

func (p *printer) enum(d *Enum) {
	p.word("enum", false)
	p.word(d.Name.Name, true)
	p.list("{", "}", true, len(d.Values), true, func(i int, _ bool) {
		v := d.Values[i]
		outer := p.begin(&v.Comments, breaks(i, &v.Comments))
		p.word(v.Name.Name, false)
		if v.Value != nil {
			p.word("=", true)
			p.value(v.Value, true)
		}
		p.annotations(v.Annotations)
		p.end(outer, true, true)
	})
	p.annotations(d.Annotations)
}

func (p *printer) structure(d *Struct) {
	p.word([]string{PlainStruct: "struct", Union: "union", Exception: "exception"}[d.Kind], false)
	p.word(d.Name.Name, true)
	if d.XsdAll {
		p.word("xsd_all", true)
	}
	p.fields("{", "}", true, d.Fields, true)
	p.annotations(d.Annotations)
}

func (p *printer) service(d *Service) {
	p.word("service", false)
	p.word(d.Name.Name, true)
	if d.Extends.Name != "" {
		p.word("extends", true)
		p.word(d.Extends.Name, true)
	}
	p.list("{", "}", true, len(d.Functions), true, func(i int, _ bool) {
		f := d.Functions[i]
		outer := p.begin(&f.Comments, breaks(i, &f.Comments))
		p.function(f)
		p.end(outer, true, true)
	})
	p.annotations(d.Annotations)
}

// breaks is how many lines end before the i-th node of a list.
func breaks(i int, c *Comments) int {
	if i > 0 && c.BlankBefore {
		return 2
	}
	return 1
}

// quote writes a string with the quotes that need fewer escapes.
func quote(s string) string {
	mark := `"`
	if strings.Contains(s, `"`) && !strings.Contains(s, `'`) {
		mark = `'`
	}
	return mark + strings.NewReplacer(mark, `\`+mark, `\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + mark
}
