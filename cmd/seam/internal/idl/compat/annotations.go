package compat

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// known are annotations that are compared elsewhere, by what they do: the shard and the mode of a
// function, what is reserved, and structs in containers.
var known = []string{"seam.shard", "streaming.mode", "seam.reserved", "value_type_in_container"}

// annotations compares those of one place in the two versions.
func (c *comparer) annotations(path string, d, n model.Annotations, old, new Place) {
	names := slices.Collect(maps.Keys(d))
	for name := range n {
		if _, both := d[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		was, had := d[name]
		is, has := n[name]
		if had == has && was == is || slices.Contains(known, name) {
			continue
		}
		rule, effect := meaning(name, was, is, had, has)
		c.add(rule, path, old, new, "the annotation %s was %s and is now %s: %s", name, annotated(was, had), annotated(is, has), effect)
	}
}

func annotated(value string, there bool) string {
	if !there {
		return "absent"
	}
	if len(value) > 80 {
		value = value[:80] + "…"
	}
	return strings.ReplaceAll(strconv.Quote(value), `\x00`, `", "`)
}

// meaning is what the change of an annotation does to programs.
func meaning(name, was, is string, had, has bool) (*Rule, string) {
	switch {
	case name == "go.tag":
		return goTag, "JSON and whatever else goes by tags has other names"
	case strings.HasPrefix(name, "vt."):
		if loosened(name, was, is, had, has) {
			return annotation, "Validate accepts what it accepted, and more"
		}
		return validation, "where the new version validates, it may refuse what the old one accepts and sends; keep the rule, or have all programs keep to the new one first"
	case name == "api.vd":
		return validation, "where it is validated, the new version may refuse what the old one accepts and sends"
	case strings.HasPrefix(name, "api.") && !had:
		return annotation, "HTTP has a binding that is new"
	case strings.HasPrefix(name, "api."):
		return httpBinding, "HTTP calls of the old version find another binding; keep it beside the new one"
	case name == "seam.idempotent" && has && is != "false":
		return annotation, "callers of the new version may make its calls twice; servers of the old one must bear that"
	case name == "seam.idempotent":
		return idempotent, "callers of the old version may still make its calls twice; keep it, or add a function under another name"
	case name == "seam.sql":
		return goAnnotation, "methods Scan and Value come or go, and with them how the column is read"
	}
	return annotation, "seam gen gives it no meaning on the wire; other generators may"
}

// loosened reports whether all that a rule accepted is accepted by what became of it. What it
// can't tell it denies.
func loosened(name, was, is string, had, has bool) bool {
	if !has {
		return true
	}
	rule := name[strings.LastIndexByte(name, '.')+1:]
	if rule == "skip" {
		return is == "true"
	}
	if !had {
		return is == "false" // a rule that is switched off
	}
	before, after := strings.Split(was, "\x00"), strings.Split(is, "\x00")
	missing := func(from, in []string) bool {
		return slices.ContainsFunc(from, func(s string) bool { return !slices.Contains(in, s) })
	}
	switch rule {
	case "in":
		return !missing(before, after)
	case "not_in":
		return !missing(after, before)
	}
	a, errA := strconv.ParseFloat(was, 64)
	b, errB := strconv.ParseFloat(is, 64)
	switch rule {
	case "gt", "ge", "min_size", "min_rune_size":
		return errA == nil && errB == nil && b <= a
	case "lt", "le", "max_size", "max_rune_size":
		return errA == nil && errB == nil && b >= a
	case "defined_only", "not_nil", "no_sparse":
		return is == "false"
	}
	return false
}

// typeAnnotations compares those of a type and of its parts.
func (c *comparer) typeAnnotations(path string, d, n *model.Type, old, new Place) {
	if d.Kind != n.Kind {
		return // what stands at another type isn't another version of it
	}
	c.annotations(path, d.Annotations, n.Annotations, old, new)
	if d.Key != nil {
		c.typeAnnotations(path, d.Key, n.Key, old, new)
	}
	if d.Elem != nil {
		c.typeAnnotations(path, d.Elem, n.Elem, old, new)
	}
}

// reserved reports what is no longer reserved, and in no use either.
func (c *comparer) reserved(path string, d, n *model.Reserved, old, new Place) {
	for _, what := range d.Missing(n) {
		c.add(unreserved, path, old, new, "%s is no longer reserved: data of the old version may still hold what it stood for; keep it in seam.reserved", what)
	}
}

// refusesAbsent reports whether Validate may refuse a field that isn't there, of which a default
// or the zero value is validated if it isn't optional. Of a union all fields but one are absent.
func refusesAbsent(f *model.Field, union bool) bool {
	if union || f.Req == model.Optional && f.Default == nil {
		return f.Annotations["vt.not_nil"] != ""
	}
	return hasRules(f.Annotations) || f.Default != nil && typeHasRules(f.Type, map[*model.Struct]bool{})
}

func hasRules(a model.Annotations) bool {
	for name := range a {
		if strings.HasPrefix(name, "vt.") {
			return true
		}
	}
	return false
}

// typeHasRules reports whether a struct has rules that a type holds.
func typeHasRules(t *model.Type, seen map[*model.Struct]bool) bool {
	if t.Key != nil && typeHasRules(t.Key, seen) || t.Elem != nil && typeHasRules(t.Elem, seen) {
		return true
	}
	if t.Struct == nil || seen[t.Struct] {
		return false
	}
	seen[t.Struct] = true
	return hasRules(t.Struct.Annotations) || slices.ContainsFunc(t.Struct.Fields, func(f *model.Field) bool {
		return hasRules(f.Annotations) || typeHasRules(f.Type, seen)
	})
}

// tighter is the first annotation of n by which Validate may refuse what that of d accepts.
func tighter(d, n model.Annotations) string {
	for _, name := range slices.Sorted(maps.Keys(n)) {
		was, had := d[name]
		if strings.HasPrefix(name, "vt.") && !(had && was == n[name]) && !loosened(name, was, n[name], had, true) {
			return name
		}
	}
	return ""
}
