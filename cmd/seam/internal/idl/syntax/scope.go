package syntax

// A scope is a node with comments that is being read.
type scope struct {
	comments   *Comments
	words      int  // of the node itself
	afterChild bool // a node inside it was the last that was read
}

// begin opens a node; the comments in front of the next token are before it.
func (p *parser) begin(c *Comments) {
	lead := p.takeLead()
	breaks := p.tok.breaks
	if len(lead) > 0 {
		breaks = lead[0].breaks
	}
	c.BlankBefore = breaks > 1
	c.Before = texts(lead)
	if len(lead) > 0 && p.tok.breaks > 1 {
		c.Before = append(c.Before, "")
	}
	if !p.started {
		p.started = true
		p.splitDoc(c)
	}
	p.scopes = append(p.scopes, scope{comments: c})
}

// splitDoc gives the file what is before the last blank line in front of its
// first node.
func (p *parser) splitDoc(c *Comments) {
	for i := len(c.Before) - 1; i >= 0; i-- {
		if c.Before[i] == "" {
			p.file.Doc.Before = c.Before[:i:i]
			c.Before = c.Before[i+1:]
			c.BlankBefore = true
			return
		}
	}
}

// takeTail gives the file the comments after its last node.
func (p *parser) takeTail() {
	tail := texts(p.takeLead())
	if p.started {
		p.file.Tail = tail
	} else {
		p.file.Doc.Before = tail
	}
}

// texts returns the comments with the blank lines between them.
func texts(lead []comment) []string {
	var all []string
	for i, c := range lead {
		if i > 0 && c.breaks > 1 {
			all = append(all, "")
		}
		all = append(all, c.text)
	}
	return all
}

// next reads a token that is a word of the innermost node.
func (p *parser) next() {
	p.settle()
	if s := p.scope(); s != nil {
		s.words++
		s.afterChild = false
	}
	p.advance()
}

func (p *parser) scope() *scope {
	if len(p.scopes) == 0 {
		return nil
	}
	return &p.scopes[len(p.scopes)-1]
}

func (p *parser) takeLead() []comment {
	lead := p.tok.lead
	p.tok.lead = nil
	return lead
}

// settle gives the innermost node the comments in front of the next token.
func (p *parser) settle() {
	if len(p.tok.lead) == 0 {
		return
	}
	lead := p.takeLead()
	s := p.scope()
	if s == nil {
		return // words that are skipped after a mistake
	}
	for i, c := range lead {
		after := p.tok.breaks
		if i+1 < len(lead) {
			after = lead[i+1].breaks
		}
		s.inner(c, after == 0)
	}
}

// inner adds a comment to the node's inner ones.
func (s *scope) inner(c comment, joined bool) {
	one := Inner{Word: s.words - 1, Breaks: c.breaks, Joined: joined && !isLineComment(c.text), Text: c.text}
	if s.afterChild {
		one.Word, one.Ahead = s.words, true
	}
	list := s.comments.Inner
	if len(list) > 0 {
		// A separator between two comments may have hidden a line's end.
		last := &list[len(list)-1]
		if last.Word == one.Word && last.Ahead == one.Ahead {
			if isLineComment(last.Text) {
				one.Breaks = max(one.Breaks, 1)
			}
			last.Joined = one.Breaks == 0
		}
	}
	s.comments.Inner = append(list, one)
}

// opened is called after the bracket that opens a list of nodes: a comment on
// its line belongs to it.
func (p *parser) opened() {
	s := p.scope()
	for lead := p.tok.lead; len(lead) > 0 && lead[0].breaks == 0; lead = p.tok.lead {
		p.tok.lead = lead[1:]
		after := p.tok.breaks
		if len(lead) > 1 {
			after = lead[1].breaks
		}
		s.inner(lead[0], after == 0)
	}
	// There is never a blank line at the beginning of a list.
	if len(p.tok.lead) > 0 {
		p.tok.lead[0].breaks = 1
	} else {
		p.tok.breaks = min(p.tok.breaks, 1)
	}
}

// closing is called before the bracket that closes a list of nodes: the
// comments there belong to the list.
func (p *parser) closing() {
	p.scope().afterChild = true
}

// separator reads the separator inside a node that may be left out.
func (p *parser) separator() {
	if !p.tok.is(",") && !p.tok.is(";") {
		return
	}
	had := len(p.tok.lead) > 0
	p.settle()
	p.advance()
	if s := p.scope(); had && s != nil {
		after := p.tok.breaks
		if len(p.tok.lead) > 0 {
			after = p.tok.lead[0].breaks
		}
		last := &s.comments.Inner[len(s.comments.Inner)-1]
		last.Joined = last.Joined && after == 0
	}
}

// end closes the innermost node, with the separator after it if there may be
// one; the comments on its line are after it.
func (p *parser) end(separated bool) {
	s := p.scope()
	p.scopes = p.scopes[:len(p.scopes)-1]
	if parent := p.scope(); parent != nil {
		parent.afterChild = true
	}
	p.takeAfter(s.comments)
	p.separated = separated && (p.tok.is(",") || p.tok.is(";"))
	if !p.separated {
		return
	}
	rest := p.takeLead()
	p.advance()
	if len(rest) == 0 && !endsLine(s.comments.After) {
		p.takeAfter(s.comments)
		return
	}
	if len(p.tok.lead) > 0 {
		p.tok.lead[0].breaks = max(p.tok.lead[0].breaks, 1)
	}
	p.tok.lead = append(rest, p.tok.lead...)
}

// takeAfter moves the comments on the line of the token before.
func (p *parser) takeAfter(c *Comments) {
	for len(p.tok.lead) > 0 && p.tok.lead[0].breaks == 0 && !endsLine(c.After) {
		c.After = append(c.After, p.tok.lead[0].text)
		p.tok.lead = p.tok.lead[1:]
	}
}

// endsLine reports whether nothing can follow the comments on their line.
func endsLine(comments []string) bool {
	return len(comments) > 0 && isLineComment(comments[len(comments)-1])
}
