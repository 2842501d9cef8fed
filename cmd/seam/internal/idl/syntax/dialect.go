package syntax

import (
	"slices"
	"strings"
)

// Meta's fbthrift has a language of its own by now, with the same ending of files. A file of it
// would be fifty mistakes here; it is one.

// fbthrift replaces the mistakes of a file that is in that language by one.
func (p *parser) fbthrift(src []byte) {
	if p.failed == 0 {
		return
	}
	at, seen := dialect(src)
	if len(seen) == 0 {
		return
	}
	const most = 8
	if len(seen) > most {
		seen = append(seen[:most], "…")
	}
	p.errs = Errors{{Path: p.file.Path, Pos: at, Message: "the file is in the dialect of Meta's fbthrift, which seam gen doesn't read: it has " + strings.Join(seen, ", ") +
		". Write what you need of it in Apache's language: the messages on the wire are the same where the ids and types of the fields are"}}
}

// qualifiers are what may stand before the word exception.
var qualifiers = []string{"safe", "transient", "stateful", "permanent", "client", "server"}

// dialect finds what fbthrift's language has and Apache's doesn't, and where the first of it is.
func dialect(src []byte) (first Pos, seen []string) {
	l := newLexer(src, func(Pos, string, ...any) {})
	kinds := map[string]bool{}
	found := func(at Pos, kind, name string) { // one of each kind
		if len(seen) == 0 {
			first = at
		}
		if !kinds[kind] {
			kinds[kind] = true
			seen = append(seen, kind+name)
		}
	}
	t := l.next()
	for t.kind != endOfFile {
		next := l.next()
		word := ""
		if t.isWord() {
			word = t.text
		}
		switch {
		case t.text == "@" && next.isWord() && strings.Contains(next.text, "."):
			found(t.pos, "annotations like ", "@"+clip(next.text))
		case word == "package" && next.kind == stringToken:
			found(t.pos, "package ", clip(next.text))
		case word == "interaction" && next.isWord():
			found(t.pos, "interactions such as ", clip(next.text))
		case word == "performs" && next.isWord():
			found(t.pos, "performs ", clip(next.text))
		case (word == "stream" || word == "sink") && next.text == "<":
			found(t.pos, word, "<…>")
		case word == "hs_include" && next.kind == stringToken:
			found(t.pos, word, "")
		case word == "include" && next.kind == stringToken && strings.HasPrefix(next.str, "thrift/annotation/"):
			found(t.pos, "include ", clip(next.text))
		case slices.Contains(qualifiers, word) && (next.text == "exception" || slices.Contains(qualifiers, next.text)):
			found(t.pos, "exceptions that are ", word)
		}
		t = next
	}
	return first, seen
}
