package syntax

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
)

// oldNamespaces are what lines like "cpp_namespace x" were called before
// "namespace cpp x", with the language they stand for.
var oldNamespaces = map[string]string{
	"cpp_namespace": "cpp", "php_namespace": "php", "py_module": "py", "perl_package": "perl",
	"ruby_namespace": "rb", "smalltalk_category": "smalltalk.category", "smalltalk_prefix": "smalltalk.prefix",
	"java_package": "java", "cocoa_prefix": "cocoa", "csharp_namespace": "csharp",
	"delphi_namespace": "delphi", "xsd_namespace": "xsd",
}

// topWords are what a line outside of definitions may begin with.
var topWords = []string{"struct", "union", "exception", "enum", "service", "typedef", "const", "namespace", "include", "cpp_include"}

// otherWords say what to write in place of words from other languages, and
// from older versions of Thrift.
var otherWords = map[string]string{
	"senum":     "Thrift no longer has senum: write a typedef of string, and constants for its values",
	"class":     "Thrift has no classes: write struct",
	"message":   "Thrift has no messages: write struct",
	"interface": "Thrift has no interfaces: write service",
	"import":    "write include and the file's name in quotes",
	"package":   "write namespace, a language or *, and a name",
	"error":     "write exception",
	"type":      "write typedef, the old type and the new name",
}

func (p *parser) parseFile() {
	for p.tok.kind != endOfFile {
		start := p.tok.pos
		p.open = 0
		if !p.line() {
			p.scopes, p.depth = p.scopes[:0], 0
			p.skipToDefinition(start)
		}
	}
}

// line parses a line of the header or a definition.
func (p *parser) line() bool {
	if p.tok.kind == keywordToken {
		switch {
		case headers[p.tok.text]:
			return p.header()
		case definitions[p.tok.text]:
			return p.definition()
		}
	}
	word := p.tok.text
	switch {
	case p.tok.is(";") || p.tok.is(","):
		p.fail(p.tok.pos, "unexpected %q: only a typedef and a constant may end with it; remove it", word)
		p.advance()
		return true
	case p.tok.is("}"):
		return p.unexpected("unexpected \"}\": nothing is open here; remove it")
	case p.tok.kind != identToken:
		return p.unexpected("expected a definition, such as a struct, found %s", &p.tok)
	case oldNamespaces[word] != "" && (p.peek(0).isWord() || p.peek(0).kind == stringToken):
		return p.header()
	case otherWords[word] != "":
		return p.unexpected("unknown definition %q: %s", word, otherWords[word])
	}
	return p.unexpected("unknown definition %q%s", clip(word), didYouMean(word, topWords))
}

// didYouMean suggests names that a word may have been meant to be.
func didYouMean(word string, names []string) string {
	const longest = 40 // nobody misspells more
	if len(word) < 2 || len(word) > longest {
		return ""
	}
	if near := nearest.Names(word, names); len(near) > 0 {
		return ": did you mean " + near[0] + "?"
	}
	return ""
}

// skipToDefinition goes on after a mistake in the definition that began at
// start. A keyword at the beginning of a line starts a new definition,
// whatever braces are open.
func (p *parser) skipToDefinition(start Pos) {
	if p.tok.pos == start {
		p.advance()
	}
	for p.tok.kind != endOfFile {
		switch {
		case p.startsDefinition():
			return
		case p.open == 0 && p.tok.kind == keywordToken && definitions[p.tok.text] && p.peek(0).kind == identToken:
			return
		}
		last := p.open == 1 && p.tok.is("}")
		p.advance()
		if last {
			return
		}
	}
}

// startsDefinition reports whether a definition begins with the next token,
// which is the first of its line.
func (p *parser) startsDefinition() bool {
	return p.tok.kind == keywordToken && (definitions[p.tok.text] || headers[p.tok.text]) && p.firstOfLine()
}

func (p *parser) firstOfLine() bool {
	return p.tok.breaks > 0 || slices.ContainsFunc(p.tok.lead, func(c comment) bool { return c.breaks > 0 })
}

// header parses include, cpp_include and namespace.
func (p *parser) header() bool {
	if len(p.file.Decls) > 0 {
		p.fail(p.tok.pos, "%s must stand before the first definition: move the line up", p.tok.text)
	}
	pos := p.tok.pos
	switch word := p.tok.text; word {
	case "include", "cpp_include":
		inc := &Include{Pos: pos}
		p.begin(&inc.Comments)
		p.next()
		var ok bool
		if inc.Path, ok = p.literal("the name of a file"); !ok {
			return false
		}
		p.end(false)
		if word == "include" {
			p.file.Includes = append(p.file.Includes, inc)
		} else {
			p.file.CppIncludes = append(p.file.CppIncludes, inc)
		}
		return true
	default:
		return p.namespace(word)
	}
}

func (p *parser) namespace(word string) bool {
	n := &Namespace{Pos: p.tok.pos, Language: oldNamespaces[word]}
	p.begin(&n.Comments)
	p.next()
	switch {
	case n.Language != "":
		p.warn(n.Pos, "%s is obsolete: write namespace %s", word, n.Language)
	case p.tok.kind == identToken || p.tok.is("*"):
		n.Language = p.tok.text
		p.next()
	default:
		return p.unexpected("expected a language or *, found %s", &p.tok)
	}
	n.Name = p.tok.text
	switch p.tok.kind {
	case identToken:
	case stringToken:
		n.Name, n.Quoted = p.tok.str, true
		if word == "namespace" {
			p.warn(p.tok.pos, "other compilers want the name of a namespace without quotes")
		}
	default:
		_, ok := p.name("a namespace")
		return ok
	}
	p.next()
	var ok bool
	if n.Annotations, ok = p.annotations(); !ok {
		return false
	}
	p.end(false)
	p.file.Namespaces = append(p.file.Namespaces, n)
	return true
}
