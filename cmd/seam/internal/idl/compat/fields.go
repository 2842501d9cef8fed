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
			c.add(Wire, d.Name, old, new, "it was %s and is %s: exactly one field of a union is set, and of others any number; define the new one under another name", was, is)
		} else {
			c.add(Source, d.Name, old, new, "it was %s and is %s: both look alike on the wire, but code that uses it must change", was, is)
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
			f.add(Wire, f.path(d), place(f.old, d.Pos), place(f.new, n.Pos), "it has the id %d now: the two versions don't see each other's value; keep the id", n.ID)
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
			// The name and the type are others: it is another field.
			f.add(Wire, path, old, new, "the id belongs to another field now, %s: %s", n.Name, why)
			return
		case f.role == argument || f.role >= thrown:
			f.add(Note, path, old, new, "it is called %s now; if it means something else, give it an id of its own", n.Name)
		default:
			f.add(Source, path, old, new, "it is called %s now: code that uses it and JSON with it must change; keep the name, and if it is another field, give it an id of its own", n.Name)
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
		f.add(Note, path, old, new, "the default was %s and is %s: where the field is missing, the two versions take different values", was, is)
	}
}

func (f *fieldComparer) requiredness(d, n *model.Field, path string, old, new Place) {
	switch {
	case d.Req == n.Req:
	case n.Req == model.Required:
		f.add(Wire, path, old, new, "it is required now: data without it, which the old version may write, is refused; keep it as it was")
	case d.Req == model.Required:
		f.add(Wire, path, old, new, "it is not required any more: the old version refuses data without it, which the new one may write; keep it required until no old version is in use")
	case pointer(d.Type):
		f.add(Note, path, old, new, "it %s now", optionalWord(n))
	default:
		f.add(Source, path, old, new, "it %s now: its Go type is another one, a pointer if it is optional; keep it as it was", optionalWord(n))
	}
}

func optionalWord(f *model.Field) string {
	if f.Req == model.Optional {
		return "is optional"
	}
	return "is not optional any more, so it is always written"
}

// pointer tells whether the Go type of a field is the same if it is optional.
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
		f.add(Wire, path, old, f.at, "it is gone: a union of the old version may hold it, and is refused; keep it")
	case f.role >= thrown:
		f.add(Wire, path, old, f.at, "it is not thrown any more: a caller of the new version can't read the answer of an old server that throws it; keep it")
	case f.role == argument:
		f.add(Source, path, old, f.at, "it is gone: calls must change, and an old server takes the zero of its type; keep it, and never use the id again")
	case d.Req == model.Required:
		f.add(Wire, path, old, f.at, "it is gone: the old version requires it and refuses data without it; keep it until no old version is in use")
	default:
		f.add(Source, path, old, f.at, "it is gone: code that uses it must change, and the old version takes its default; keep it, and never use the id again")
	}
}

func (f *fieldComparer) appeared(n *model.Field, most int16) {
	path, new := f.path(n), place(f.new, n.Pos)
	switch {
	case n.Req == model.Required:
		f.add(Wire, path, Place{}, new, "it is new and required: data of the old version, which has it not, is refused; make it optional")
	case n.ID > 0 && n.ID < most:
		f.add(Wire, path, Place{}, new, "it is new, and its id lies between those in use, so it may have belonged to a field that is gone: old data would be read as this one; take an id above %d", most)
	case f.role == argument:
		f.add(Source, path, Place{}, new, "it is new: calls must change, and old callers don't send it")
	case f.role == thrownVoid:
		f.add(Wire, path, Place{}, new, "it is new: an old caller doesn't know it, and takes the answer for success because there is no result; add another function")
	case f.role == thrown:
		f.add(Note, path, Place{}, new, "it is new: an old caller finds neither a result nor an exception that it knows")
	case f.role == unionMember:
		f.add(Note, path, Place{}, new, "it is new: the old version refuses a union that holds it, so let readers have the new version first")
	default:
		f.add(Note, path, Place{}, new, "it is new")
	}
}

// order tells whether arguments that stayed stand in another order.
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
		f.add(Source, f.name, place(f.old, old[0].Pos), f.at, "its arguments are in another order: calls must change; the ids tell the order on the wire, so keep that of the source")
	}
}
