package compat

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

func (c *comparer) services(d, n *model.Service) {
	c.extends(d, n)
	c.annotations(d.Name, d.Annotations, n.Annotations, place(d.Program, d.Pos), place(n.Program, n.Pos))
	c.reserved(d.Name, d.Reserved, n.Reserved, place(d.Program, d.Pos), place(n.Program, n.Pos))
	news := functions(n)
	for _, fn := range d.Functions {
		path := d.Name + "." + fn.Name
		old := place(d.Program, fn.Pos)
		found, ok := news[fn.Name]
		if !ok {
			c.add(functionGone, path, old, place(n.Program, n.Pos), "the function is gone: calls of it fail; keep it until nobody calls it")
			continue
		}
		if found.in != n {
			c.add(inherited, path, old, place(found.in.Program, found.fn.Pos), "it is now inherited from %s", found.in.Name)
		}
		c.function(path, d, fn, found)
	}
	// Inherited functions are compared where they are declared, unless another service declares them now.
	for base := d.Extends; base != nil; base = base.Extends {
		for _, fn := range base.Functions {
			if found, ok := news[fn.Name]; ok && c.serv[base] != found.in {
				c.function(d.Name+"."+fn.Name, base, fn, found)
			}
		}
	}
	olds := functions(d)
	for _, fn := range n.Functions {
		if _, ok := olds[fn.Name]; !ok {
			if d.Reserved.HasName(fn.Name) {
				c.add(idReserved, n.Name+"."+fn.Name, place(d.Program, d.Pos), place(n.Program, fn.Pos), "its name is reserved in the old version, since another function had it; use another name")
				continue
			}
			c.add(functionNew, n.Name+"."+fn.Name, Place{}, place(n.Program, fn.Pos), "the function is new: servers must have it before clients call it")
		}
	}
}

// extends compares the services that two versions extend.
func (c *comparer) extends(d, n *model.Service) {
	if d.Extends == nil && n.Extends == nil || d.Extends != nil && n.Extends != nil && c.serv[d.Extends] == n.Extends {
		return
	}
	old, new := place(d.Program, d.Pos), place(n.Program, n.Pos)
	if d.Extends == nil {
		c.add(extendsNew, d.Name, old, new, "it now extends %s: servers must have those functions too", n.Extends.Name)
		return
	}
	is := "nothing"
	if n.Extends != nil {
		is = n.Extends.Name
	}
	news := functions(n)
	for base := d.Extends; base != nil; base = base.Extends {
		for _, fn := range base.Functions {
			if _, ok := news[fn.Name]; !ok {
				c.add(extendsWire, d.Name, old, new, "it extended %s and now extends %s: calls of %s fail; keep what it extends", d.Extends.Name, is, fn.Name)
				return
			}
		}
	}
	c.add(extendsGo, d.Name, old, new, "it extended %s and now extends %s: code that uses it as a %s must change; keep what it extends", d.Extends.Name, is, d.Extends.Name)
}

// A declared function is one with the service that has it.
type declared struct {
	fn *model.Function
	in *model.Service
}

// functions are those that can be called, inherited ones included.
func functions(s *model.Service) map[string]declared {
	all := map[string]declared{}
	for ; s != nil; s = s.Extends {
		for _, fn := range s.Functions {
			all[fn.Name] = declared{fn, s}
		}
	}
	return all
}

func (c *comparer) function(path string, s *model.Service, d *model.Function, to declared) {
	n := to.fn
	old, new := place(s.Program, d.Pos), place(to.in.Program, n.Pos)
	switch {
	case d.Oneway && !n.Oneway:
		c.add(functionWay, path, old, new, "it is no longer oneway: the server answers, and old callers don't read the answer; add a function under another name")
	case !d.Oneway && n.Oneway:
		c.add(functionWay, path, old, new, "it is now oneway: the server doesn't answer, and old callers wait for it; add a function under another name")
	}
	if was, is := streamMode(d), streamMode(n); was != is {
		c.add(streaming, path, old, new, "it was %s and is now %s: calls between the versions fail; add a function under another name", was, is)
	}
	if was, is := shardName(d), shardName(n); was != is {
		c.add(shard, path, old, new, "calls were distributed by %s and are now by %s: callers of the two versions send the same call to different servers; add a function under another name", was, is)
	}
	c.annotations(path, d.Annotations, n.Annotations, old, new)
	if rule, why := c.resultChange(d.Result, n.Result); rule != nil {
		c.add(rule, path, old, new, "%s", why)
	}
	c.typeAnnotations(path, d.Result, n.Result, old, new)
	c.reserved(path, d.Args.Reserved, n.Args.Reserved, old, new)
	args := fieldComparer{c, path, argument, s.Program, to.in.Program, new, d.Args.Reserved}
	args.compare(d.Args.Fields, n.Args.Fields)
	role := thrown
	if d.Result.Kind == model.Void {
		role = thrownVoid
	}
	throws := fieldComparer{c, path, role, s.Program, to.in.Program, new, nil}
	throws.compare(d.Throws, n.Throws)
}

// streamMode is how a function streams, in the words of the annotation.
func streamMode(f *model.Function) string {
	if f.Streaming == "" {
		return "without streaming.mode"
	}
	return "of streaming.mode " + f.Streaming
}

func shardName(f *model.Function) string {
	if f.Shard == nil {
		return "none of its arguments"
	}
	return fmt.Sprintf("%s (argument %d)", f.Shard.Name, f.Shard.ID)
}

func (c *comparer) resultChange(old, new *model.Type) (*Rule, string) {
	if c.sameType(old, new) {
		return nil, ""
	}
	change := fmt.Sprintf("the result was %s and is now %s", spelled(old), spelled(new))
	if diff := c.wireDifference(old, new); diff.rule != nil {
		return diff.rule, change + ": " + diff.why + "; add a function under another name"
	}
	return typeGo, change + ": they look the same on the wire, but calls must change"
}
