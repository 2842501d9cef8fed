package compat

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A definition is anything with a name. One of the pointers is set.
type definition struct {
	program *model.Program
	name    string
	pos     syntax.Pos
	typedef *model.Typedef
	enum    *model.Enum
	struc   *model.Struct
	service *model.Service
	cons    *model.Const
}

func (d *definition) place() Place {
	if d == nil {
		return Place{}
	}
	return place(d.program, d.pos)
}

// what names the kind of definition, with its article.
func (d *definition) what() string {
	switch {
	case d.typedef != nil:
		return "a typedef"
	case d.enum != nil:
		return "an enum"
	case d.service != nil:
		return "a service"
	case d.cons != nil:
		return "a constant"
	}
	return "a" + structWords[d.struc.Kind]
}

var structWords = map[syntax.StructKind]string{
	syntax.PlainStruct: " struct", syntax.Union: " union", syntax.Exception: "n exception",
}

// key is what two versions of a definition have in common: constants have names
// of their own.
type key struct {
	name  string
	cons  bool
	where *model.Program
}

// definitions are those of one version.
type definitions struct {
	in     map[key]*definition   // by file
	byName map[key][]*definition // in all files, where is nil
	lists  map[*model.Program][]*definition
}

func index(list []*model.Program) *definitions {
	x := &definitions{map[key]*definition{}, map[key][]*definition{}, map[*model.Program][]*definition{}}
	for _, p := range list {
		add := func(d definition) {
			d.program = p
			k := key{d.name, d.cons != nil, p}
			x.in[k] = &d
			k.where = nil
			x.byName[k] = append(x.byName[k], &d)
			x.lists[p] = append(x.lists[p], &d)
		}
		for _, d := range p.Typedefs {
			add(definition{name: d.Name, pos: d.Pos, typedef: d})
		}
		for _, d := range p.Enums {
			add(definition{name: d.Name, pos: d.Pos, enum: d})
		}
		for _, d := range p.Structs {
			add(definition{name: d.Name, pos: d.Pos, struc: d})
		}
		for _, d := range p.Consts {
			add(definition{name: d.Name, pos: d.Pos, cons: d})
		}
		for _, d := range p.Services {
			add(definition{name: d.Name, pos: d.Pos, service: d})
		}
	}
	return x
}

// counterpart is the new version of a definition: in the file that belongs to
// its own, or in another one to which it was moved.
func (c *comparer) counterpart(d *definition) *definition {
	k := key{d.name, d.cons != nil, nil}
	if p := c.newOf[d.program]; p != nil {
		k.where = p
		if n := c.news.in[k]; n != nil {
			return n
		}
		k.where = nil
	}
	for _, n := range c.news.byName[k] {
		// It was moved only if the new file did not have one before.
		if !c.was(n) {
			return n
		}
	}
	return nil
}

// was reports whether the old version of a file has the name of a new
// definition.
func (c *comparer) was(n *definition) bool {
	named := c.olds.byName[key{n.name, n.cons != nil, nil}]
	return slices.ContainsFunc(named, func(o *definition) bool { return c.newOf[o.program] == n.program })
}

// match pairs everything that can be referred to.
func (c *comparer) match(old []*model.Program) {
	for _, p := range old {
		for _, d := range c.olds.lists[p] {
			n := c.counterpart(d)
			switch {
			case n == nil:
			case d.struc != nil && n.struc != nil:
				c.struc[d.struc] = n.struc
			case d.enum != nil && n.enum != nil:
				c.enum[d.enum] = n.enum
			case d.service != nil && n.service != nil:
				c.serv[d.service] = n.service
			}
		}
	}
}
