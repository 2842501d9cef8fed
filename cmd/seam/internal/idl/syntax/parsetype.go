package syntax

// resultType parses what a function returns.
func (p *parser) resultType() (*Type, bool) {
	if p.tok.is("void") {
		t := &Type{Pos: p.tok.pos, Name: "void"}
		p.next()
		return t, true
	}
	if p.tok.kind == identToken && p.peek(0).is("(") {
		return nil, p.unexpected("the function %s has no result type: write void if it returns nothing", clip(p.tok.text))
	}
	return p.fieldType()
}

// fieldType parses a type.
func (p *parser) fieldType() (*Type, bool) {
	t := &Type{Pos: p.tok.pos}
	switch word := p.tok.text; {
	case p.tok.kind == identToken:
		t.Name = word
		p.next()
	case p.tok.kind != keywordToken:
		return t, p.unexpected("expected a type, found %s", &p.tok)
	case baseTypes[word]:
		t.Name = word
		p.next()
	case word == "map":
		t.Kind = MapType
	case word == "list":
		t.Kind = ListType
	case word == "set":
		t.Kind = SetType
	case word == "void":
		return t, p.unexpected("void isn't a type: it is only for functions that return nothing")
	default:
		return t, p.unexpected("expected a type, found %s", &p.tok)
	}
	if t.Kind != NamedType && !p.container(t) {
		return t, false
	}
	var ok bool
	t.Annotations, ok = p.annotations()
	return t, ok
}

// container parses the rest of a list, a set or a map.
func (p *parser) container(t *Type) bool {
	word := p.tok.text
	if !p.deeper("types are") {
		return false
	}
	p.next()
	var ok bool
	if p.accept("cpp_type") {
		if t.CppType, ok = p.literal("a C++ type"); !ok {
			return false
		}
	}
	if !p.expect("<", "after "+word) {
		return false
	}
	if t.Kind == MapType {
		if t.Key, ok = p.fieldType(); !ok {
			return false
		}
		if !p.expect(",", "between the types of a map's keys and values") {
			return false
		}
	}
	if t.Elem, ok = p.fieldType(); !ok {
		return false
	}
	if !p.expect(">", "at the end of a "+word) {
		return false
	}
	p.depth--
	if t.Kind == ListType && p.tok.is("cpp_type") {
		p.warn(p.tok.pos, "cpp_type after a list is obsolete: write list cpp_type \"name\" <element>")
		p.drop(1)
		if p.tok.kind != stringToken {
			return p.unexpected("expected a C++ type in quotes, found %s", &p.tok)
		}
		t.CppType = p.tok.str
		p.drop(1)
	}
	return true
}

// drop reads words that have no place in the tree; the comments before them
// go to the word that follows.
func (p *parser) drop(words int) {
	var kept []comment
	for range words + 1 {
		for _, c := range p.takeLead() {
			if n := len(kept); n > 0 && isLineComment(kept[n-1].text) {
				c.breaks = max(c.breaks, 1)
			}
			kept = append(kept, c)
		}
		if words--; words >= 0 {
			p.advance()
		}
	}
	p.tok.lead = kept
	if n := len(kept); n > 0 && isLineComment(kept[n-1].text) {
		p.tok.breaks = max(p.tok.breaks, 1)
	}
}

// annotations parses (name = "value", name), if it is there.
func (p *parser) annotations() ([]*Annotation, bool) {
	if !p.tok.is("(") {
		return nil, true
	}
	if p.peek(0).is(")") {
		p.drop(2)
		return nil, true
	}
	var (
		list  []*Annotation
		inner = p.innerComments() + len(p.tok.lead)
		line  = p.tok.pos.Line
	)
	p.next()
	for !p.tok.is(")") {
		switch p.tok.kind {
		case identToken:
		case stringToken:
			return nil, p.unexpected("expected the name of an annotation, found %s: remove the quotes", &p.tok)
		case keywordToken:
			return nil, p.unexpected("the keyword %q can't name an annotation: choose another name", p.tok.text)
		case endOfFile:
			return nil, p.unexpected("the annotations opened on line %d aren't closed: add \")\"", line)
		default:
			return nil, p.unexpected("expected an annotation or \")\", found %s", &p.tok)
		}
		a := &Annotation{Pos: p.tok.pos, Name: p.tok.text, Break: p.firstOfLine()}
		p.next()
		if p.accept("=") {
			a.HasValue = true
			if p.tok.kind == intToken || p.tok.isWord() {
				return nil, p.unexpected("the value of the annotation %s is a string: write %s = \"%s\"", clip(a.Name), clip(a.Name), clip(p.tok.text))
			}
			var ok bool
			if a.Value, ok = p.literal("the value of annotation " + clip(a.Name)); !ok {
				return nil, false
			}
		}
		p.separator()
		list = append(list, a)
	}
	list[0].Break = p.tok.pos.Line > line && (len(list) > 1 || p.innerComments()+len(p.tok.lead) > inner)
	for _, a := range list[1:] {
		a.Break = a.Break && list[0].Break
	}
	p.next()
	return list, true
}

// innerComments is how many comments have been found between the words of the
// innermost node.
func (p *parser) innerComments() int { return len(p.scope().comments.Inner) }
