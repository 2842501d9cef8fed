package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	endOfFile kind = iota
	badToken       // the lexer has reported it already
	identToken
	keywordToken
	intToken
	doubleToken
	stringToken
	markToken // one of : ; , { } ( ) = < > [ ] * &
)

// A token is one word of the source, with the comments in front of it that
// have no node yet.
type token struct {
	kind   kind
	pos    Pos
	text   string // as in the source
	str    string // of a stringToken: the contents, escapes resolved
	int    int64
	double float64
	lead   []comment
	breaks uint8 // line ends since the token or comment before; 2 is two or more
}

// A comment is a comment between two tokens.
type comment struct {
	text   string
	breaks uint8 // as in token
}

// is reports whether the token is this mark or keyword.
func (t *token) is(text string) bool {
	return t.text == text && (t.kind == markToken || t.kind == keywordToken)
}

// isWord reports whether the token could be a name, if it weren't a keyword.
func (t *token) isWord() bool { return t.kind == identToken || t.kind == keywordToken }

func (t *token) String() string {
	switch t.kind {
	case endOfFile:
		return "the end of the file"
	case stringToken:
		return "the string " + clip(t.text)
	case keywordToken:
		return fmt.Sprintf("the keyword %q", t.text)
	}
	return fmt.Sprintf("%q", clip(t.text))
}

// clip shortens what a message quotes from the source, and replaces what
// can't be printed.
func clip(s string) string {
	const most = 40
	end := ""
	if len(s) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s, end = s[:cut], "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s) + end
}

// keywords are the words that aren't names. True and false aren't names
// either, but they appear where values do, and are read as names there.
var keywords = map[string]bool{
	"namespace": true, "include": true, "cpp_include": true, "cpp_type": true,
	"xsd_all": true, "xsd_optional": true, "xsd_nillable": true, "xsd_attrs": true,
	"void": true, "bool": true, "byte": true, "i8": true, "i16": true, "i32": true, "i64": true,
	"double": true, "string": true, "binary": true, "uuid": true,
	"map": true, "list": true, "set": true,
	"oneway": true, "async": true, "typedef": true, "struct": true, "union": true, "exception": true,
	"extends": true, "throws": true, "service": true, "enum": true, "const": true,
	"required": true, "optional": true,
}

// baseTypes are the types that are keywords. Void is one before a function.
var baseTypes = map[string]bool{
	"bool": true, "byte": true, "i8": true, "i16": true, "i32": true, "i64": true,
	"double": true, "string": true, "binary": true, "uuid": true,
}

// notFieldNames are the keywords that can't even name a field.
var notFieldNames = map[string]bool{
	"cpp_type": true, "xsd_all": true, "xsd_optional": true, "xsd_nillable": true, "xsd_attrs": true,
}

// definitions are the keywords that begin a definition.
var definitions = map[string]bool{
	"typedef": true, "enum": true, "struct": true, "union": true, "exception": true, "const": true, "service": true,
}

// headers are the keywords that begin a line of the header.
var headers = map[string]bool{"namespace": true, "include": true, "cpp_include": true}
