package syntax

import (
	"github.com/seamgo/seam/cmd/seam/internal/nearest"
)

// members parses what is between two brackets. It returns false if there is
// no opening one; after any other mistake it goes on at the next member or
// the closing bracket.
func (p *parser) members(open, closing, owner string, member func() bool) bool {
	line, outside := p.tok.pos.Line, p.open
	if !p.expect(open, "after "+clip(owner)) {
		return false
	}
	p.opened()
	scopes, depth, opened := len(p.scopes), p.depth, p.open
	for !p.tok.is(closing) {
		switch {
		case p.tok.kind == endOfFile:
			p.fail(p.tok.pos, "%s, opened on line %d, isn't closed: add %q", clip(owner), line, closing)
			return true
		case p.startsDefinition(), p.tok.is("}"), closing == ")" && p.firstOfLine() && p.startsFunction():
			p.fail(p.tok.pos, "%s, opened on line %d, isn't closed: add %q before %s", clip(owner), line, closing, &p.tok)
			p.open = outside
			return true
		}
		if p.tok.is(",") || p.tok.is(";") {
			p.fail(p.tok.pos, "one %q too many: remove it", p.tok.text)
			p.advance()
			continue
		}
		start := p.tok.pos
		if !member() {
			p.scopes, p.depth = p.scopes[:scopes], depth
			p.skipToMember(start, closing, opened)
			p.open = opened // it may have stopped at a line in spite of open brackets
		}
	}
	p.closing()
	p.closedOn = p.tok.pos.Line
	p.next()
	return true
}

// startsFunction reports whether the token can only begin a function.
func (p *parser) startsFunction() bool {
	return p.tok.is("void") || p.tok.is("oneway") || p.tok.is("async")
}

// brokeLines reports whether the list that was closed last was opened on a line
// before.
func (p *parser) brokeLines(opened int) bool { return p.closedOn > opened }

// skipToMember goes on after a mistake in the member that began at start: at
// the closing bracket, after a separator or at the beginning of a line.
// Brackets opened since the list's are the member's own; only what can't be
// anything but a field is taken to be outside them.
func (p *parser) skipToMember(start Pos, closing string, open int) {
	if p.tok.pos == start {
		p.advance()
	}
	for ; p.tok.kind != endOfFile; p.advance() {
		switch {
		case p.startsDefinition(), p.startsField():
			return
		case p.open > open:
		case p.tok.is(closing), p.tok.is("}"):
			return
		case p.tok.is(","), p.tok.is(";"):
			p.advance()
			return
		case p.firstOfLine() && p.tok.kind != markToken:
			return
		}
	}
}

// startsField reports whether a line begins here that can only be a field.
func (p *parser) startsField() bool {
	return p.tok.kind == intToken && p.firstOfLine() && p.peek(0).is(":") && p.peek(1).isWord() &&
		(p.peek(2).isWord() || p.peek(2).is("<"))
}

// nesting is by how much a token changes the number of open brackets.
func nesting(t *token) int {
	if t.kind == markToken {
		switch t.text {
		case "(", "[", "{":
			return 1
		case ")", "]", "}":
			return -1
		}
	}
	return 0
}

// fields parses a list of fields, which for a function are its arguments
// or the exceptions that it throws.
func (p *parser) fields(open, closing, owner string, args bool) ([]*Field, bool) {
	var list []*Field
	ok := p.members(open, closing, owner, func() bool {
		f := &Field{Pos: p.tok.pos}
		failed, separated := p.failed, p.separated
		ok := p.field(f, args)
		if ok {
			list = append(list, f)
		} else if n := len(list); n > 0 && p.failed > failed && !separated {
			p.explain(list[n-1], f)
		}
		return ok
	})
	return list, ok
}

// explain improves the last message if the mistake in field f comes from a
// misspelt word in the field before, to which f really belongs.
func (p *parser) explain(before, f *Field) {
	t := before.Type
	if f.HasID || f.Pos.Line != before.Name.Pos.Line || before.Req != NoWord || t.Kind != NamedType || baseTypes[t.Name] || len(t.Name) > 20 {
		return
	}
	if near := nearest.Names(t.Name, []string{"required", "optional"}); len(near) > 0 {
		last := p.errs[len(p.errs)-1]
		last.Pos, last.Message = t.Pos, "unknown word \""+t.Name+"\": did you mean "+near[0]+"?"
	}
}

func (p *parser) field(f *Field, arg bool) bool {
	p.begin(&f.Comments)
	if p.tok.kind == intToken {
		f.HasID, f.ID = true, p.tok.int
		p.next()
		if !p.expect(":", "after a field's id") {
			return false
		}
	}
	switch {
	case p.tok.is("required"):
		f.Req = Required
		p.next()
	case p.tok.is("optional"):
		f.Req = Optional
		if arg {
			p.warn(p.tok.pos, "optional means nothing here: remove it")
		}
		p.next()
	}
	var ok bool
	if f.Type, ok = p.fieldType(); !ok {
		return false
	}
	if !f.HasID && p.tok.is(":") {
		p.fail(f.Type.Pos, "a field's id is a whole number, found %q: write 1, 2 and so on", clip(f.Type.Name))
		return false
	}
	f.Reference = p.accept("&")
	if f.Name, ok = p.fieldName(); !ok {
		return false
	}
	if p.accept("=") {
		if f.Default, ok = p.value(); !ok {
			return false
		}
	}
	if f.Xsd, ok = p.xsd(); !ok {
		return false
	}
	if f.Annotations, ok = p.annotations(); !ok {
		return false
	}
	p.end(true)
	return true
}

// fieldName reads a field's name, which may be a keyword.
func (p *parser) fieldName() (Ident, bool) {
	if p.tok.kind == keywordToken && !notFieldNames[p.tok.text] {
		id := Ident{p.tok.pos, p.tok.text}
		p.next()
		return id, true
	}
	return p.name("a field")
}

// xsd parses the leftovers of XML schemas.
func (p *parser) xsd() (*Xsd, bool) {
	x := Xsd{Optional: p.accept("xsd_optional"), Nillable: p.accept("xsd_nillable")}
	if p.accept("xsd_attrs") {
		x.HasAttrs = true
		if !p.deeper("xsd_attrs") {
			return nil, false
		}
		var ok bool
		line := p.tok.pos.Line
		if x.Attrs, ok = p.fields("{", "}", "xsd_attrs", false); !ok {
			return nil, false
		}
		x.AttrLines = p.brokeLines(line)
		p.depth--
	}
	if !x.Optional && !x.Nillable && !x.HasAttrs {
		return nil, true
	}
	return &x, true
}
