package syntax

// definition parses a typedef, an enum, a struct, a constant or a service.
func (p *parser) definition() bool {
	var (
		d  Decl
		ok bool
	)
	switch p.tok.text {
	case "typedef":
		d, ok = p.typedef()
	case "const":
		d, ok = p.constant()
	case "enum":
		d, ok = p.enum()
	case "service":
		d, ok = p.service()
	default:
		d, ok = p.structure()
	}
	if d.DeclName().Name != "" { // the part that could be read helps to check the rest
		p.file.Decls = append(p.file.Decls, d)
	}
	return ok
}

func (p *parser) typedef() (*Typedef, bool) {
	d := &Typedef{}
	p.begin(&d.Comments)
	p.next()
	var ok bool
	if d.Type, ok = p.fieldType(); !ok {
		return d, false
	}
	name, ok := p.name("a typedef")
	if !ok {
		return d, false
	}
	if d.Annotations, ok = p.annotations(); !ok {
		return d, false
	}
	p.end(true)
	d.Name = name
	return d, true
}

func (p *parser) constant() (*Const, bool) {
	d := &Const{}
	p.begin(&d.Comments)
	p.next()
	var ok bool
	if d.Type, ok = p.fieldType(); !ok {
		return d, false
	}
	name, ok := p.name("a constant")
	if !ok || !p.expect("=", "and a value after the name of a constant") {
		return d, false
	}
	if d.Value, ok = p.value(); !ok {
		return d, false
	}
	pos := p.tok.pos
	if d.Annotations, ok = p.annotations(); !ok {
		return d, false
	}
	if d.Annotations != nil {
		p.warn(pos, "other compilers don't accept annotations on constants")
	}
	p.end(true)
	d.Name = name
	return d, true
}

func (p *parser) enum() (*Enum, bool) {
	d := &Enum{}
	p.begin(&d.Comments)
	p.next()
	var ok bool
	if d.Name, ok = p.owner("an enum"); !ok {
		return d, false
	}
	if !p.members("{", "}", "the enum "+d.Name.Name, func() bool {
		v, ok := p.enumValue()
		if ok {
			d.Values = append(d.Values, v)
		}
		return ok
	}) {
		return d, false
	}
	d.Annotations, ok = p.annotations()
	p.end(false)
	return d, ok
}

func (p *parser) enumValue() (*EnumValue, bool) {
	v := &EnumValue{}
	p.begin(&v.Comments)
	var ok bool
	if v.Name, ok = p.name("an enum's value"); !ok {
		return v, false
	}
	if p.accept("=") {
		if p.tok.kind != intToken {
			return v, p.unexpected("expected a whole number for %s, found %s", clip(v.Name.Name), &p.tok)
		}
		v.Value, _ = p.value()
	}
	v.Annotations, ok = p.annotations()
	p.end(true)
	return v, ok
}

func (p *parser) structure() (*Struct, bool) {
	d := &Struct{}
	word := p.tok.text
	what := "a " + word
	switch word {
	case "union":
		d.Kind = Union
	case "exception":
		d.Kind, what = Exception, "an exception"
	}
	p.begin(&d.Comments)
	p.next()
	var ok bool
	if d.Name, ok = p.owner(what); !ok {
		return d, false
	}
	if d.Kind != Exception {
		d.XsdAll = p.accept("xsd_all")
	}
	if d.Fields, ok = p.fields("{", "}", "the "+word+" "+d.Name.Name, false); !ok {
		return d, false
	}
	d.Annotations, ok = p.annotations()
	p.end(false)
	return d, ok
}

func (p *parser) service() (*Service, bool) {
	d := &Service{}
	p.begin(&d.Comments)
	p.next()
	var ok bool
	if d.Name, ok = p.owner("a service"); !ok {
		return d, false
	}
	if p.accept("extends") {
		if p.tok.kind != identToken {
			return d, p.unexpected("expected the name of the service that %s extends, found %s", clip(d.Name.Name), &p.tok)
		}
		d.Extends = Ident{p.tok.pos, p.tok.text}
		p.next()
	}
	if !p.members("{", "}", "the service "+d.Name.Name, func() bool {
		f, ok := p.function()
		if ok {
			d.Functions = append(d.Functions, f)
		}
		return ok
	}) {
		return d, false
	}
	d.Annotations, ok = p.annotations()
	p.end(false)
	return d, ok
}

// owner reads the name of a definition with members. Its members are read
// even without a good one, to find the mistakes in them.
func (p *parser) owner(what string) (Ident, bool) {
	if p.tok.kind == keywordToken && p.peek(0).is("{") {
		id := Ident{p.tok.pos, p.tok.text}
		p.name(what)
		p.next()
		return id, true
	}
	return p.name(what)
}

func (p *parser) function() (*Function, bool) {
	f := &Function{Pos: p.tok.pos}
	p.begin(&f.Comments)
	if p.tok.is("oneway") || p.tok.is("async") {
		if p.tok.text == "async" {
			p.warn(p.tok.pos, "async is obsolete: write oneway")
		}
		f.Oneway = true
		p.next()
	}
	var ok bool
	if f.Result, ok = p.resultType(); !ok {
		return f, false
	}
	if f.Name, ok = p.name("a function"); !ok {
		return f, false
	}
	line := p.tok.pos.Line
	if f.Args, ok = p.fields("(", ")", "the function "+f.Name.Name, true); !ok {
		return f, false
	}
	f.ArgLines = p.brokeLines(line)
	if p.tok.is("throws") {
		if p.peek(0).is("(") && p.peek(1).is(")") {
			p.drop(3)
		} else {
			p.next()
			line = p.tok.pos.Line
			if f.Throws, ok = p.fields("(", ")", "the throws of function "+f.Name.Name, true); !ok {
				return f, false
			}
			f.ThrowLines = p.brokeLines(line)
		}
	}
	f.Annotations, ok = p.annotations()
	p.end(true)
	return f, ok
}
