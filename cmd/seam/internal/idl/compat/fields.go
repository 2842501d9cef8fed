package compat

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

func (c *comparer) structs(d, n *model.Struct) {
	old, new := place(d.Program, d.Pos), place(n.Program, n.Pos)
	if d.Kind != n.Kind {
		was, is := "a"+structWords[d.Kind], "a"+structWords[n.Kind]
		if d.Kind == syntax.Union || n.Kind == syntax.Union {
			c.add(kindUnion, d.Name, old, new, "it was %s and is now %s: a union has exactly one field set, the others any number; define the new one under another name", was, is)
		} else {
			c.add(kindGo, d.Name, old, new, "it was %s and is now %s: they look the same on the wire, but code that uses it must change", was, is)
		}
	}
	c.annotations(d.Name, d.Annotations, n.Annotations, old, new)
	c.reserved(d.Name, d.Reserved, n.Reserved, old, new)
	role := member
	if d.Kind == syntax.Union && n.Kind == syntax.Union {
		role = unionMember
	}
	f := fieldComparer{c, d.Name, role, d.Program, n.Program, new, d.Reserved}
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
	kept     *model.Reserved
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
	newByName, oldByName := byName(new), byName(old)
	moved := map[string]bool{} // names whose ids differ
	for _, d := range old {
		if n := newByName[d.Name]; n != nil && n.ID != d.ID {
			// Whatever the old id stands for now: data of this field arrives in another one, or in none.
			moved[d.Name] = true
			what := "no field"
			if other := news[d.ID]; other != nil {
				what = other.Name
			}
			f.add(idChanged, f.path(d), place(f.old, d.Pos), place(f.new, n.Pos), "its id is now %d, and %d is %s: neither version sees the value that the other writes for it; keep the id", n.ID, d.ID, what)
		}
	}
	for _, d := range old {
		n := news[d.ID]
		switch {
		case n == nil && moved[d.Name]:
		case n == nil:
			f.removed(d)
		case n.Name == d.Name:
			f.both(d, n)
		case oldByName[n.Name] != nil:
			// The new field has moved here from its own id, which was said of it.
			if !moved[d.Name] {
				f.add(idReused, f.path(d), place(f.old, d.Pos), place(f.new, n.Pos), "it is gone, and its id now belongs to %s, which had %d: data of it is read as %[1]s; keep the ids of both", n.Name, oldByName[n.Name].ID)
			}
		case moved[d.Name]:
			f.add(idReused, f.path(n), place(f.old, d.Pos), place(f.new, n.Pos), "it has the id that belonged to %s: data of that is read as this; use a new id", d.Name)
		default:
			f.both(d, n)
		}
	}
	most := int16(0)
	for _, d := range old {
		most = max(most, d.ID)
	}
	for _, n := range new {
		if olds[n.ID] == nil && !moved[n.Name] {
			f.appeared(n, most)
		}
	}
	if f.role == argument {
		f.order(old, new, olds, news)
	}
}

func byName(fields []*model.Field) map[string]*model.Field {
	names := make(map[string]*model.Field, len(fields))
	for _, f := range fields {
		names[f.Name] = f
	}
	return names
}

// both compares a field that both versions have.
func (f *fieldComparer) both(d, n *model.Field) {
	path, old, new := f.path(d), place(f.old, d.Pos), place(f.new, n.Pos)
	rule, why := f.typeChange(d.Type, n.Type)
	if f.role >= thrown && rule == typeGo && (f.struc[d.Type.Struct] != nil || f.hadStruct(n.Type.Struct)) {
		// Exceptions of the same shape: what is thrown is told apart by its type alone.
		rule, why = throwType, fmt.Sprintf("it was %s and is now %s: what one version throws is caught as another exception", spelled(d.Type), spelled(n.Type))
	}
	if d.Name != n.Name {
		switch {
		case rule != nil && rule.Severity == Wire:
			// Neither the name nor the type is the same: it is another field.
			f.add(idReused, path, old, new, "its id now belongs to another field, %s: %s", n.Name, why)
			return
		case f.role == argument || f.role >= thrown:
			f.add(parameterName, path, old, new, "it is now called %s; if it means something else, give it an id of its own", n.Name)
		default:
			f.add(fieldRenamed, path, old, new, "it is now called %s: code and JSON that use the name must change; keep the name or, if it is another field, give it an id of its own", n.Name)
		}
	}
	if rule != nil {
		if rule.Severity == Wire {
			why += fmt.Sprintf("; keep this %s as it is and add one with a new id", f.word())
		}
		f.add(rule, path, old, new, "%s", why)
	}
	f.requiredness(d, n, path, old, new)
	if rule == nil || rule.Severity != Wire {
		f.defaults(d, n, path, old, new)
	}
	f.annotations(path, d.Annotations, n.Annotations, old, new)
	f.typeAnnotations(path, d.Type, n.Type, old, new)
}

// hadStruct reports whether the old version had a struct of the new one.
func (c *comparer) hadStruct(s *model.Struct) bool {
	for _, n := range c.struc {
		if n == s {
			return true
		}
	}
	return false
}

// mayBeAbsent reports whether what reads a field may see its default: if a writer may leave it out,
// or encoding/json reads a struct into what the default has set.
func (c *comparer) mayBeAbsent(f *model.Field) bool {
	return mayBeAbsent(f) || c.opt.Names && f.Type.Kind == model.StructKind
}

// mayBeAbsent reports whether a writer may leave a field out, ours or another: for Apache's Java
// and Python null is a value of everything but numbers, and is not written.
func mayBeAbsent(f *model.Field) bool {
	switch f.Req {
	case model.Required:
		return false
	case model.Optional:
		return true
	}
	return f.Type.Kind >= model.String && f.Type.Kind != model.UUID && f.Type.Kind != model.EnumKind
}

func (f *fieldComparer) defaults(d, n *model.Field, path string, old, new Place) {
	was, is := show(d.Default), show(n.Default)
	if was == is {
		is = "another"
	}
	switch {
	case f.role == unionMember || !f.mayBeAbsent(d) && !f.mayBeAbsent(n):
		if !f.equalValue(d.Default, n.Default) {
			f.add(defaultWritten, path, old, new, "the default was %s and is now %s: both versions write the field whatever it is, so only programs that don't set it differ", was, is)
		}
	case !f.sameWhenAbsent(d, n):
		f.add(defaultAbsent, path, old, new, "the default was %s and is now %s, and is not written: what one version leaves out, the other reads as its own default; keep the default, and have programs set another value", was, is)
	case (d.Default == nil) != (n.Default == nil) && refusesAbsent(d, false) != refusesAbsent(n, false):
		f.add(validation, path, old, new, "the default was %s and is now %s: where the field is left out, its rules judge the default, and in the version without one nothing; one may accept what the other refuses; keep it as it was", was, is)
	case f.becomesPointer(d, n):
		f.add(validation, path, old, new, "the default was %s and is gone: Kitex's code held the field as a value and left it out where that is the default, and holds a pointer now, which vt.not_nil refuses where the field is left out; keep the default, or take the rule away first", was)
	case (d.Default == nil) != (n.Default == nil) && f.opt.Kitex && n.Req == model.Optional && d.Req == n.Req:
		f.add(optionalGo, path, old, new, "the default was %s and is now %s: the field is a value with a default and a pointer without; keep it as it was", was, is)
	case !f.equalValue(d.Default, n.Default):
		f.add(defaultWritten, path, old, new, "the default was %s and is now %s, which is the same to whom reads it", was, is)
	}
}

// becomesPointer reports whether Kitex's code held a field as a value, and holds a pointer now that
// must not be nil.
func (c *comparer) becomesPointer(d, n *model.Field) bool {
	return c.opt.Kitex && d.Req == model.Optional && n.Req == model.Optional && d.Default != nil && n.Default == nil && n.Annotations["vt.not_nil"] != ""
}

func (f *fieldComparer) requiredness(d, n *model.Field, path string, old, new Place) {
	if d.Req == model.Optional && n.Req == model.DefaultReq && refusesAbsent(n, false) {
		f.add(validation, path, old, new, "it has rules and is no longer optional: what stands for it where the old version leaves it out may break them; keep it optional")
	}
	switch {
	case d.Req == n.Req:
	case n.Req == model.Required:
		f.add(requiredNew, path, old, new, "it is now required: the new version refuses data without it, which the old one may write; keep it as it was")
	case d.Req == model.Required:
		f.add(requiredGone, path, old, new, "it is no longer required: the old version refuses data without it, which the new one may write; keep it required until no old version is in use")
	case pointer(d.Type):
		f.add(optionalWord, path, old, new, "it %s", optionality(n))
	default:
		f.add(optionalGo, path, old, new, "it %s: its Go type changes, since an optional one is a pointer; keep it as it was", optionality(n))
	}
}

func optionality(f *model.Field) string {
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
		f.add(memberGone, path, old, f.at, "it is gone: the new version reads a union that holds it as one without a field, and can't write that; keep it")
	case f.role >= thrown:
		f.add(throwGone, path, old, f.at, "it is no longer thrown: a new caller can't read the answer of an old server that throws it; keep it")
	case f.role == argument:
		f.add(fieldGone, path, old, f.at, "it is gone: calls must change, and an old server sees the zero value; keep it, or reserve its id: (seam.reserved = \"%d\")", d.ID)
	case d.Req == model.Required:
		f.add(requiredGone, path, old, f.at, "it is gone: the old version refuses data without it; keep it until no old version is in use")
	default:
		f.add(fieldGone, path, old, f.at, "it is gone: code that uses it must change, and the old version sees its default; keep it, or reserve its id and its name: (seam.reserved = \"%d, %s\")", d.ID, d.Name)
	}
}

func (f *fieldComparer) appeared(n *model.Field, most int16) {
	path, new := f.path(n), place(f.new, n.Pos)
	if n.Req != model.Required && refusesAbsent(n, f.role == unionMember) {
		f.add(validation, path, Place{}, new, "it is new and has rules, which what stands for it in data of the old version may break; make it optional, without vt.not_nil")
	}
	switch {
	case n.Req == model.Required:
		f.add(requiredNew, path, Place{}, new, "it is new and required: the new version refuses data that the old one writes; make it optional")
	case f.kept.HasID(int64(n.ID)):
		f.add(idReserved, path, Place{}, new, "its id is reserved in the old version, since another %s had it: data of that would be read as this; use an id above %d", f.word(), most)
	case f.kept.HasName(n.Name):
		f.add(idReserved, path, Place{}, new, "its name is reserved in the old version, since another %s had it; use another name", f.word())
	case n.ID > 0 && n.ID < most:
		f.add(idBetween, path, Place{}, new, "it is new, with an id between those in use, which may have belonged to a field that is gone: old data would be read as this field; use an id above %d", most)
	case f.role == argument:
		f.add(argumentNew, path, Place{}, new, "it is new: calls must change, and old callers don't send it")
	case f.role == thrownVoid:
		f.add(throwVoid, path, Place{}, new, "it is new: an old caller doesn't know it and, as there is no result, takes the answer for success; add another function")
	case f.role == thrown:
		f.add(throwNew, path, Place{}, new, "it is new: an old caller finds neither a result nor an exception that it knows")
	case f.role == unionMember:
		f.add(memberNew, path, Place{}, new, "it is new: the old version reads a union that holds it as one without a field, and can't write that, so update readers first")
	default:
		f.add(fieldNew, path, Place{}, new, "it is new")
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
		f.add(argumentMove, f.name, place(f.old, old[0].Pos), f.at, "its arguments are in another order: calls must change; the wire goes by ids, so keep the order of the source")
	}
}
