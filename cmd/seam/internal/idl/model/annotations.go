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

// goTags are the tags that a field's annotation go.tag asks for, and those of hz, which is
// Hertz's generator, for its annotations api.*. The key thrift is that of the run-time.
func (f *file) goTags(field *Field) []GoTag {
	var list []GoTag
	if text, ok := field.Annotations["go.tag"]; ok {
		var err error
		if list, err = parseGoTags(text); err != nil {
			f.warnf(field.Pos, "go.tag of %s is left out: %v; write it as Go has it, go.tag = 'json:\"name\" yaml:\"name\"'", clip(field.Name), err)
		}
	}
	for _, t := range apiTags(field) {
		switch {
		case slices.ContainsFunc(list, func(old GoTag) bool { return old.Key == t.Key }): // go.tag has the say
		case strings.ContainsAny(t.Value, "`\n\r"):
			f.warnf(field.Pos, "the tag %s of %s is left out: a backquote or the end of a line is in it", t.Key, clip(field.Name))
		default:
			list = append(list, t)
		}
	}
	return list
}

// apiKeys are the annotations of fields that become tags, in the order of the tags. Another of
// them, api.body, is json and form.
var apiKeys = []struct{ annotation, tag string }{
	{"api.cookie", "cookie"}, {"api.form", "form"}, {"api.header", "header"}, {"api.path", "path"},
	{"api.query", "query"}, {"api.raw_body", "raw_body"}, {"api.vd", "vd"},
}

// isAPITag reports whether an annotation of a field becomes a tag.
func isAPITag(name string) bool {
	return name == "api.body" || name == "api.js_conv" || slices.ContainsFunc(apiKeys, func(k struct{ annotation, tag string }) bool { return k.annotation == name })
}

// apiTags are the tags that hz writes for the annotations of a field.
func apiTags(field *Field) (list []GoTag) {
	required, omit, quoted := "", "", ""
	switch field.Req {
	case Required:
		required, omit = ",required", ",required"
	case Optional:
		omit = ",omitempty"
	}
	if _, ok := field.Annotations["api.js_conv"]; ok {
		quoted = ",string"
	}
	body, isBody := field.Annotations["api.body"]
	bound := isBody || quoted != ""
	for _, k := range apiKeys {
		value, ok := field.Annotations[k.annotation]
		switch {
		case k.tag == "form" && isBody: // hz has what stands in the body in a form too
			list = append(list, GoTag{"form", body + required})
			continue
		case !ok:
			continue
		case k.tag != "vd":
			value += required
			bound = true
		}
		list = append(list, GoTag{k.tag, value})
	}
	if bound {
		name := field.Name
		if isBody {
			name = body
		}
		list = append(list, GoTag{"json", name + quoted + omit})
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
	{"api.", "HTTP (fields get hz's tags for api.query, path, header, cookie, form, body, raw_body, js_conv and vd; --descriptors has those of functions)"}, {"vt.", "the validation of fields (--validate does, for structs)"}, {"agw.", "a gateway"},
}

// notAskedFor warns of annotations by which the author expects code that isn't written.
func (f *file) notAskedFor(structs []structAST, services []serviceAST) {
	if f.opt.NoCode {
		return
	}
	count, first := make([]int, len(others)), make([]*syntax.Annotation, len(others))
	validated, tagged, kept := false, false, false // what is code where the annotations are
	look := func(list []*syntax.Annotation) {
		for _, a := range list {
			if a == nil {
				continue
			}
			for i, other := range others {
				if strings.HasPrefix(a.Name, other.prefix) && !(validated && other.prefix == "vt.") && !(tagged && isAPITag(a.Name)) && !(kept && other.prefix == "api.") {
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
	validated = f.opt.Validate
	for _, s := range structs {
		look(s.ast.Annotations)
		tagged = true
		fields(s.ast.Fields)
		tagged = false
	}
	validated, kept = false, f.opt.Descriptors
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
