package compat

import (
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// program compares one old file with what became of it.
func (c *comparer) program(p *model.Program) {
	n := c.newOf[p]
	if n != nil {
		c.namespaces(p, n)
	}
	for _, d := range c.olds.lists[p] {
		c.definition(d, c.counterpart(d))
	}
}

func (c *comparer) namespaces(p, n *model.Program) {
	for _, lang := range slices.Sorted(maps.Keys(p.Namespaces)) {
		was, is := p.Namespace(lang), n.Namespace(lang)
		if was == is {
			continue
		}
		at := place(n, n.NamespaceAt[lang])
		old := place(p, p.NamespaceAt[lang])
		path := "namespace " + lang
		if is == "" {
			c.add(namespace, path, old, at, "it was %s and is gone: generated code moves, so its imports must change; keep it", was)
			continue
		}
		c.add(namespace, path, old, at, "it was %s and is now %s: generated code moves, so its imports must change; keep the old name", was, is)
	}
	for _, lang := range slices.Sorted(maps.Keys(n.Namespaces)) {
		if _, ok := p.Namespaces[lang]; ok {
			continue
		}
		if was, is := p.Namespace(lang), n.Namespace(lang); was != is {
			c.add(namespace, "namespace "+lang, place(p, p.NamespaceAt["*"]), place(n, n.NamespaceAt[lang]), "it is now %s, and there was none: generated code moves, so its imports must change", is)
		}
	}
}

// definition compares a definition with its new version, nil if there is none.
func (c *comparer) definition(d, n *definition) {
	c.within = d.name
	defer func() { c.within = "" }()
	if n == nil {
		c.removed(d)
		return
	}
	if c.newOf[d.program] != n.program {
		c.moved(d, n)
	}
	switch {
	case d.typedef != nil && n.typedef != nil:
		c.typedef(d, n)
	case d.enum != nil && n.enum != nil:
		c.enums(d.enum, n.enum)
	case d.struc != nil && n.struc != nil:
		c.structs(d.struc, n.struc)
	case d.cons != nil && n.cons != nil:
		c.constant(d.cons, n.cons)
	case d.service != nil && n.service != nil:
		c.services(d.service, n.service)
	case d.service != nil:
		c.add(serviceGone, d.name, d.place(), n.place(), "it was %s and is now %s: calls of its functions fail; keep the service, and give the new definition another name", d.what(), n.what())
	default:
		c.add(kindOther, d.name, d.place(), n.place(), "it was %s and is now %s: code that uses it must change; give the new definition another name", d.what(), n.what())
	}
}

func (c *comparer) removed(d *definition) {
	switch {
	case d.service != nil:
		c.add(serviceGone, d.name, d.place(), Place{}, "the service is gone: calls of its functions fail; keep it until nobody calls it")
	case d.cons != nil:
		c.add(gone, d.name, d.place(), Place{}, "the constant is gone: code that uses it must change; keep it")
	default:
		c.add(gone, d.name, d.place(), Place{}, "it was %s and is gone: code that uses it must change, and its data can no longer be read; keep it", d.what())
	}
}

// moved reports a definition that is in another file now. That matters only if
// the code of the two files goes into different packages.
func (c *comparer) moved(d, n *definition) {
	was, is := d.program.Namespace("go"), n.program.Namespace("go")
	if was != "" && was == is {
		c.add(movedWithin, d.name, d.place(), n.place(), "it moved from %s to %s, which have the same namespace", d.program.Path, n.program.Path)
		return
	}
	c.add(moved, d.name, d.place(), n.place(), "it moved from %s to %s: its imports must change; leave a typedef with the old name, or give both files the same namespace", d.program.Path, n.program.Path)
}

func (c *comparer) typedef(d, n *definition) {
	was, is := d.typedef.Type, n.typedef.Type
	c.annotations(d.name, d.typedef.Annotations, n.typedef.Annotations, d.place(), n.place())
	c.typeAnnotations(d.name, was, is, d.place(), n.place())
	if c.sameType(was, is) {
		return
	}
	rule := typeGo
	change := "it stood for %s and now stands for %s: code that uses it must change"
	if diff := c.wireDifference(was, is); diff.rule != nil {
		rule = diff.rule
		change = "it stood for %s and now stands for %s: neither version can read the data of the other; define a new name for the new type"
	}
	c.add(rule, d.name, d.place(), n.place(), change, was, is)
}

func (c *comparer) constant(d, n *model.Const) {
	old, new := place(d.Program, d.Pos), place(n.Program, n.Pos)
	if !c.sameType(d.Type, n.Type) {
		c.add(constantType, d.Name, old, new, "the constant's type was %s and is now %s: code that uses it must change", d.Type, n.Type)
		return
	}
	if was, is, same := c.sameValue(d.Value, n.Value); !same {
		c.add(constantValue, d.Name, old, new, "the constant was %s and is now %s: programs of the two versions use different values", was, is)
	}
}

// added tells what is new.
func (c *comparer) added(list []*model.Program) {
	have := map[*definition]bool{}
	for _, defs := range c.olds.lists {
		for _, d := range defs {
			if n := c.counterpart(d); n != nil {
				have[n] = true
			}
		}
	}
	for _, p := range list {
		for _, n := range c.news.lists[p] {
			if !have[n] {
				c.add(definitionNew, n.name, Place{}, n.place(), "%s that is new", n.what())
			}
		}
	}
}
