package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A GoTag is a key of a Go struct tag and its value, which have no backquote.
type GoTag struct{ Key, Value string }

// goTags are the tags that a field's annotation go.tag asks for. The key thrift is that of
// the run-time.
func (f *file) goTags(field *Field) []GoTag {
	text, ok := field.Annotations["go.tag"]
	if !ok {
		return nil
	}
	list, err := parseGoTags(text)
	if err != nil {
		f.warnf(field.Pos, "go.tag of %s is left out: %v; write it as Go has it, go.tag = 'json:\"name\" yaml:\"name\"'", clip(field.Name), err)
	}
	return list
}

// parseGoTags takes a struct tag apart as package reflect does.
func parseGoTags(text string) (list []GoTag, err error) {
	if strings.ContainsAny(text, "`\n\r") {
		return nil, fmt.Errorf("a backquote or the end of a line is in it")
	}
	for rest := strings.TrimLeft(text, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		n := 0
		for n < len(rest) && rest[n] > ' ' && rest[n] < 0x7f && rest[n] != ':' && rest[n] != '"' {
			n++
		}
		key := rest[:n]
		if n == 0 || n == len(rest) || rest[n] != ':' {
			return nil, fmt.Errorf("%s is no key:\"value\"", clip(rest))
		}
		quoted, err := strconv.QuotedPrefix(rest[n+1:])
		if err != nil || quoted[0] != '"' {
			return nil, fmt.Errorf("the value of %s is not in quotation marks", clip(key))
		}
		value, err := strconv.Unquote(quoted)
		if err != nil || strings.ContainsRune(value, '`') {
			return nil, fmt.Errorf("the value of %s can't stand in a tag", clip(key))
		}
		switch {
		case key == "thrift":
			return nil, fmt.Errorf("the key thrift is taken")
		case slices.ContainsFunc(list, func(t GoTag) bool { return t.Key == key }):
			return nil, fmt.Errorf("%s is there twice", clip(key))
		}
		list = append(list, GoTag{key, value})
		rest = rest[n+1+len(quoted):]
	}
	return list, nil
}

// others are the beginnings of annotations that mean something to other generators of Go
// code, and what that is.
var others = []struct{ prefix, what string }{
	{"api.", "the binding of HTTP requests"}, {"vt.", "the validation of fields (--validate does, for structs)"}, {"agw.", "a gateway"},
}

// notAskedFor warns of annotations by which the author expects code that isn't written.
func (f *file) notAskedFor(structs []structAST, services []serviceAST) {
	count, first := make([]int, len(others)), make([]*syntax.Annotation, len(others))
	look := func(list []*syntax.Annotation) {
		for _, a := range list {
			if a == nil {
				continue
			}
			for i, other := range others {
				if strings.HasPrefix(a.Name, other.prefix) {
					if count[i]++; first[i] == nil {
						first[i] = a
					}
				}
			}
		}
	}
	fields := func(list []*syntax.Field) {
		for _, x := range list {
			if x != nil {
				look(x.Annotations)
			}
		}
	}
	for _, s := range structs {
		look(s.ast.Annotations)
		if !f.opt.Validate {
			fields(s.ast.Fields)
			continue
		}
		for _, a := range s.ast.Annotations {
			if a != nil && strings.HasPrefix(a.Name, "vt.") {
				f.errorf(a.Pos, "%s of struct %s: assertions about a whole struct are not supported; check it in the handler", clip(a.Name), clip(s.ast.Name.Name))
			}
		}
		for _, x := range s.ast.Fields {
			if x != nil {
				look(slices.DeleteFunc(slices.Clone(x.Annotations), func(a *syntax.Annotation) bool { return a != nil && strings.HasPrefix(a.Name, "vt.") }))
			}
		}
	}
	for _, s := range services {
		look(s.ast.Annotations)
		for _, fn := range s.ast.Functions {
			if fn != nil {
				look(fn.Annotations)
				fields(fn.Args)
			}
		}
	}
	for i, other := range others {
		if count[i] > 0 {
			f.warnf(first[i].Pos, "%d of the annotations begin with %s, this one first: seam gen writes no code for %s", count[i], other.prefix, other.what)
		}
	}
}
