package compat

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

func (c *comparer) structs(d, n *model.Struct) {
	if d.Kind != n.Kind {
		old, new := place(d.Program, d.Pos), place(n.Program, n.Pos)
		was, is := "a"+structWords[d.Kind], "a"+structWords[n.Kind]
		if d.Kind == syntax.Union || n.Kind == syntax.Union {
			c.add(Wire, d.Name, old, new, "it was %s and is now %s: a union has exactly one field set, the others any number; define the new one under another name", was, is)
		} else {
			c.add(Source, d.Name, old, new, "it was %s and is now %s: they look the same on the wire, but code that uses it must change", was, is)
		}
	}
	role := member
	if d.Kind == syntax.Union && n.Kind == syntax.Union {
		role = unionMember
	}
	f := fieldComparer{c, d.Name, role, d.Program, n.Program, place(n.Program, n.Pos)}
	f.compare(d.Fields, n.Fields)
}

// A role is what fields are for.
type role uint8

const (
	member role = iota
	unionMember
	argument
	thrown     // by a function with a result
	thrownVoid // by a function without
)

// A fieldComparer compares two lists of fields.
type fieldComparer struct {
	*comparer
	name     string // of the struct or the function
	role     role
	old, new *model.Program
	at       Place // of what has the fields in the new version
}

func (f *fieldComparer) path(g *model.Field) string {
	return fmt.Sprintf("%s.%s (%s %d)", f.name, g.Name, f.word(), g.ID)
}

func (f *fieldComparer) word() string {
	switch f.role {
	case argument:
		return "argument"
	case thrown, thrownVoid:
		return "exception"
	}
	return "field"
}

func (f *fieldComparer) compare(old, new []*model.Field) {
	news, olds := byID(new), byID(old)
	byName := map[string]*model.Field{}
	for _, g := range new {
		byName[g.Name] = g
	}
	renumbered := map[int16]bool{}
	for _, d := range old {
		if n := news[d.ID]; n != nil {
			f.both(d, n)
		} else if n := byName[d.Name]; n != nil && olds[n.ID] == nil {
			renumbered[n.ID] = true
			f.add(Wire, f.path(d), place(f.old, d.Pos), place(f.new, n.Pos), "its id is now %d: neither version sees the value that the other writes; keep the id", n.ID)
		} else {
			f.removed(d)
		}
	}
	most := int16(0)
	for _, d := range old {
		most = max(most, d.ID)
	}
	for _, n := range new {
		if olds[n.ID] == nil && !renumbered[n.ID] {
			f.appeared(n, most)
		}
	}
	if f.role == argument {
		f.order(old, new, olds, news)
	}
}

// both compares a field that both versions have.
func (f *fieldComparer) both(d, n *model.Field) {
	path, old, new := f.path(d), place(f.old, d.Pos), place(f.new, n.Pos)
	severity, why := f.typeChange(d.Type, n.Type)
	if d.Name != n.Name {
		switch {
		case severity == Wire:
			// Neither the name nor the type is the same: it is another field.
			f.add(Wire, path, old, new, "its id now belongs to another field, %s: %s", n.Name, why)
			return
		case f.role == argument || f.role >= thrown:
			f.add(Note, path, old, new, "it is now called %s; if it means something else, give it an id of its own", n.Name)
		default:
			f.add(Source, path, old, new, "it is now called %s: code and JSON that use the name must change; keep the name or, if it is another field, give it an id of its own", n.Name)
		}
	}
	if severity == Wire {
		why += fmt.Sprintf("; keep this %s as it is and add one with a new id", f.word())
	}
	if why != "" {
		f.add(severity, path, old, new, "%s", why)
	}
	f.requiredness(d, n, path, old, new)
	if d.Type.Kind != n.Type.Kind {
		return // defaults of different types say nothing
	}
	if was, is, same := f.sameValue(d.Default, n.Default); !same {
		f.add(Note, path, old, new, "the default was %s and is now %s: where the field is missing, the two versions use different values", was, is)
	}
}

func (f *fieldComparer) requiredness(d, n *model.Field, path string, old, new Place) {
	switch {
	case d.Req == n.Req:
	case n.Req == model.Required:
		f.add(Wire, path, old, new, "it is now required: the new version refuses data without it, which the old one may write; keep it as it was")
	case d.Req == model.Required:
		f.add(Wire, path, old, new, "it is no longer required: the old version refuses data without it, which the new one may write; keep it required until no old version is in use")
	case pointer(d.Type):
		f.add(Note, path, old, new, "it %s", optionalWord(n))
	default:
		f.add(Source, path, old, new, "it %s: its Go type changes, since an optional one is a pointer; keep it as it was", optionalWord(n))
	}
}

func optionalWord(f *model.Field) string {
	if f.Req == model.Optional {
		return "is now optional"
	}
	return "is no longer optional, so it is always written"
}

// pointer reports whether the Go type of a field is the same if it is optional.
func pointer(t *model.Type) bool {
	switch t.Kind {
	case model.StructKind, model.List, model.Set, model.Map, model.Binary:
		return true
	}
	return false
}

func (f *fieldComparer) removed(d *model.Field) {
	path, old := f.path(d), place(f.old, d.Pos)
	switch {
	case f.role == unionMember:
		f.add(Wire, path, old, f.at, "it is gone: the new version refuses unions of the old one that hold it; keep it")
	case f.role >= thrown:
		f.add(Wire, path, old, f.at, "it is no longer thrown: a new caller can't read the answer of an old server that throws it; keep it")
	case f.role == argument:
		f.add(Source, path, old, f.at, "it is gone: calls must change, and an old server sees the zero value; keep it, and never reuse the id")
	case d.Req == model.Required:
		f.add(Wire, path, old, f.at, "it is gone: the old version refuses data without it; keep it until no old version is in use")
	default:
		f.add(Source, path, old, f.at, "it is gone: code that uses it must change, and the old version sees its default; keep it, and never reuse the id")
	}
}

func (f *fieldComparer) appeared(n *model.Field, most int16) {
	path, new := f.path(n), place(f.new, n.Pos)
	switch {
	case n.Req == model.Required:
		f.add(Wire, path, Place{}, new, "it is new and required: the new version refuses data that the old one writes; make it optional")
	case n.ID > 0 && n.ID < most:
		f.add(Wire, path, Place{}, new, "it is new, with an id between those in use, which may have belonged to a field that is gone: old data would be read as this field; use an id above %d", most)
	case f.role == argument:
		f.add(Source, path, Place{}, new, "it is new: calls must change, and old callers don't send it")
	case f.role == thrownVoid:
		f.add(Wire, path, Place{}, new, "it is new: an old caller doesn't know it and, as there is no result, takes the answer for success; add another function")
	case f.role == thrown:
		f.add(Note, path, Place{}, new, "it is new: an old caller finds neither a result nor an exception that it knows")
	case f.role == unionMember:
		f.add(Note, path, Place{}, new, "it is new: the old version refuses a union that holds it, so update readers first")
	default:
		f.add(Note, path, Place{}, new, "it is new")
	}
}

// order reports arguments that were kept but reordered.
func (f *fieldComparer) order(old, new []*model.Field, olds, news map[int16]*model.Field) {
	var was, is []int16
	for _, d := range old {
		if news[d.ID] != nil {
			was = append(was, d.ID)
		}
	}
	for _, n := range new {
		if olds[n.ID] != nil {
			is = append(is, n.ID)
		}
	}
	if !slices.Equal(was, is) {
		f.add(Source, f.name, place(f.old, old[0].Pos), f.at, "its arguments are in another order: calls must change; the wire goes by ids, so keep the order of the source")
	}
}
