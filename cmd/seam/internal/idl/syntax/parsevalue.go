package syntax

// value parses a constant value.
func (p *parser) value() (*Value, bool) {
	v := &Value{Pos: p.tok.pos, End: p.tok.pos, Text: p.tok.text}
	switch p.tok.kind {
	case intToken:
		v.Kind, v.Int = IntValue, p.tok.int
	case doubleToken:
		v.Kind, v.Double = DoubleValue, p.tok.double
	case stringToken:
		v.Kind, v.Text = StringValue, p.tok.str
	case identToken:
		v.Kind = IdentValue
	case markToken:
		switch v.Text {
		case "[":
			v.Kind, v.Text = ListValue, ""
			return v, p.valueList(v)
		case "{":
			v.Kind, v.Text = MapValue, ""
			return v, p.valueMap(v)
		}
		return v, p.unexpected("expected a value, found %s", &p.tok)
	case keywordToken:
		if p.startsDefinition() {
			return v, p.unexpected("expected a value, found %s on the next line", &p.tok)
		}
		return v, p.unexpected("the keyword %q isn't a value: strings need quotes", v.Text)
	default:
		return v, p.unexpected("expected a value, found %s", &p.tok)
	}
	p.next()
	return v, true
}

func (p *parser) valueList(v *Value) bool {
	return p.elements(v, "]", `a value, or "]" for the end of the list`, func() bool {
		one, ok := p.value()
		if ok {
			v.List = append(v.List, one)
		}
		return ok
	})
}

func (p *parser) valueMap(v *Value) bool {
	return p.elements(v, "}", `a key, or "}" for the end of the map`, func() bool {
		key, ok := p.value()
		if !ok || !p.expect(":", "between a map's key and its value") {
			return false
		}
		value, ok := p.value()
		if ok {
			v.Map = append(v.Map, Entry{key, value})
		}
		return ok
	})
}

// elements parses what stands between brackets, one by one.
func (p *parser) elements(v *Value, end, wanted string, one func() bool) bool {
	if !p.deeper("values are") {
		return false
	}
	p.next()
	for !p.tok.is(end) {
		if !p.startsValue() {
			return p.unexpected("expected "+wanted+" of line %d, found %s", v.Pos.Line, &p.tok)
		}
		if !one() {
			return false
		}
		p.separator()
	}
	v.End = p.tok.pos
	p.next()
	p.depth--
	return true
}

func (p *parser) startsValue() bool {
	switch p.tok.kind {
	case intToken, doubleToken, stringToken, identToken:
		return true
	case markToken:
		return p.tok.text == "[" || p.tok.text == "{"
	case keywordToken:
		return !p.startsDefinition() // value has a better message
	}
	return false
}
