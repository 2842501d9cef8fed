package model

import (
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// checkServices fills the services of a file and returns the defaults of
// arguments, which are worked out later.
func (f *file) checkServices(list []serviceAST) []pending {
	for _, s := range list {
		f.extends(s)
		s.def.Reserved = f.reserved(s.def.Annotations, s.def.Pos, s.def.Name)
		for _, fn := range s.ast.Functions {
			if fn != nil && s.def.Reserved.HasName(fn.Name.Name) {
				f.errorf(fn.Name.Pos, "%s.%s has a name that seam.reserved keeps: use another", clip(s.def.Name), clip(fn.Name.Name))
			}
		}
	}
	f.checkExtendsCycles(list)
	var defaults []pending
	for _, s := range list {
		for _, fn := range s.ast.Functions {
			if fn != nil {
				defaults = append(defaults, f.function(s.def, fn)...)
			}
		}
	}
	f.checkInherited(list)
	return defaults
}

func (f *file) extends(s serviceAST) {
	base := s.ast.Extends
	if base.Name == "" {
		return
	}
	sym, quiet := f.symbol(base.Name)
	switch {
	case sym == nil && quiet:
	case sym == nil:
		f.unknown(base.Pos, "service", base.Name, f.names(func(s *symbol) bool { return s.service != nil }))
	case sym.service == nil:
		f.errorf(base.Pos, "%s is %s: a service can extend services only", clip(base.Name), sym.what())
	default:
		s.def.Extends = sym.service
	}
}

// checkExtendsCycles undoes what makes a service extend itself.
func (f *file) checkExtendsCycles(list []serviceAST) {
	const onPath, clean = 1, 2
	state := map[*Service]int{}
	for _, s := range list {
		var path []*Service
		at := s.def
		for at != nil && at.Program == f.prog && state[at] == 0 {
			state[at] = onPath
			path = append(path, at)
			at = at.Extends
		}
		if at != nil && state[at] == onPath {
			circle := circleText(path, at, func(s *Service) string { return s.Name })
			f.errorf(at.Pos, "service %s extends itself: %s; break the chain at one of them", clip(at.Name), circle)
			at.Extends = nil
		}
		for _, one := range path {
			state[one] = clean
		}
	}
}

func (f *file) function(s *Service, ast *syntax.Function) []pending {
	what := clip(s.Name) + "." + clip(ast.Name.Name)
	fn := &Function{
		Name: ast.Name.Name, Oneway: ast.Oneway, Result: f.result(ast.Result),
		Doc: ast.Comments.Text(), Annotations: annotations(ast.Annotations), Pos: ast.Name.Pos,
	}
	fn.Args = &Struct{Program: f.prog, Name: s.Name + "_" + fn.Name + "_args", Pos: ast.Name.Pos}
	var defaults, more []pending
	fn.Args.Fields, defaults = f.fieldList(ast.Args, argRole, what)
	fn.Throws, more = f.fieldList(ast.Throws, throwsRole, what)
	defaults = append(defaults, more...)
	for _, t := range fn.Throws {
		if t.Type != nil && (t.Type.Kind != StructKind || t.Type.Struct.Kind != syntax.Exception) {
			f.errorf(t.Pos, "%s throws %s, which is not an exception: define it with the word exception", what, clip(t.Type.String()))
		}
		if t.ID == 0 && fn.Result != nil && fn.Result.Kind != Void {
			f.errorf(t.Pos, "%s throws %s as field 0, which is the result: use an id above 0", what, clip(t.Name))
		}
	}
	if fn.Oneway && fn.Result != nil && fn.Result.Kind != Void {
		f.errorf(ast.Pos, "%s is oneway, so nothing comes back: its result must be void, not %s", what, clip(fn.Result.String()))
	}
	if fn.Oneway && len(ast.Throws) > 0 {
		f.errorf(ast.Pos, "%s is oneway, so nothing comes back: delete throws, or oneway", what)
	}
	fn.Args.Reserved = f.reserved(fn.Annotations, fn.Pos, what)
	f.fieldsNotReserved(fn.Args.Reserved, fn.Args.Fields, what)
	f.streaming(fn, what)
	f.streamable(fn, what)
	f.shard(fn, what)
	switch value, ok := fn.Annotations["seam.idempotent"]; {
	case ok && (value == "" || value == "1" || value == "true"):
		fn.Idempotent = true
	case ok && value != "false":
		f.errorf(fn.Pos, "seam.idempotent of %s is %q: it is true, as without a value, or false", what, clip(value))
	}
	if leftOut := fn.Streams() && !f.opt.KeepStreams; fn.Name != "" && !leftOut {
		s.Functions = append(s.Functions, fn)
	}
	return defaults
}

// Streams reports whether more than one message goes in a direction.
func (fn *Function) Streams() bool { return fn.Streaming != "" && fn.Streaming != "unary" }

// streaming reads the annotation streaming.mode, by which functions stream, as in Kitex's programs.
func (f *file) streaming(fn *Function, what string) {
	fn.Streaming = fn.Annotations["streaming.mode"]
	switch fn.Streaming {
	case "":
	case "client", "server", "bidirectional":
		if !f.opt.KeepStreams {
			f.warnf(fn.Pos, "%s streams (streaming.mode = %q), for which code needs the binary protocol (--protocols): the function is left out", what, fn.Streaming)
		}
		for _, key := range []string{"seam.shard", "seam.idempotent"} {
			if _, ok := fn.Annotations[key]; ok && !f.opt.NoCode {
				f.warnf(fn.Pos, "%s streams, so %s does nothing: delete it", what, key)
			}
		}
	case "unary":
		if !f.opt.Kitex && !f.opt.NoCode {
			f.warnf(fn.Pos, "%s has streaming.mode = \"unary\": it becomes an ordinary function, which kitex's clients call if their transport is TTHeaderStreaming; their default for it is HTTP/2, as for their servers", what)
		}
	default:
		fn.Streaming = ""
		f.errorf(fn.Pos, "streaming.mode of %s is %q: it is one of client, server, bidirectional and unary", what, clip(fn.Streaming))
	}
}

// streamable refuses what no stream of Kitex's can carry.
func (f *file) streamable(fn *Function, what string) {
	if fn.Streaming == "" || !f.opt.KeepStreams || f.opt.NoCode || !fn.Streams() && !f.opt.Kitex {
		return
	}
	if n := len(fn.Args.Fields); n != 1 {
		f.errorf(fn.Pos, "%s streams (streaming.mode = %q) and has %d arguments: kitex has such functions with one, a struct", what, fn.Streaming, n)
	} else if t := fn.Args.Fields[0].Type; fn.Streams() && t != nil && t.Kind != StructKind {
		f.errorf(fn.Pos, "%s streams %s (streaming.mode = %q): kitex's streams carry structs; make it a field of one", what, clip(t.String()), fn.Streaming)
	}
	switch t := fn.Result; {
	case fn.Oneway:
		f.errorf(fn.Pos, "%s is oneway and streams (streaming.mode = %q): delete one of the two", what, fn.Streaming)
	case fn.Streams() && t != nil && t.Kind != StructKind:
		f.errorf(fn.Pos, "%s streams (streaming.mode = %q) and returns %s: kitex's streams carry structs; make it a field of one", what, fn.Streaming, clip(t.String()))
	}
}

// shard finds the argument that the annotation seam.shard of a function names.
func (f *file) shard(fn *Function, what string) {
	name, ok := fn.Annotations["seam.shard"]
	if !ok {
		return
	}
	for _, x := range fn.Args.Fields {
		if x.Name != name {
			continue
		}
		if x.Type != nil && (x.Type.Kind < I8 || x.Type.Kind > Binary || x.Type.Kind == Double) {
			f.errorf(fn.Pos, "seam.shard of %s is %s, a %s: name a string, a binary or an integer", what, clip(name), clip(x.Type.String()))
			return
		}
		fn.Shard = x
		return
	}
	f.errorf(fn.Pos, "seam.shard of %s is %s, which is none of its arguments", what, clip(name))
}

// checkInherited finds functions that are in a service twice, or in it and in
// one that it extends.
func (f *file) checkInherited(list []serviceAST) {
	derived := map[*Service][]*Service{}
	for _, s := range list {
		if base := s.def.Extends; base != nil {
			derived[base] = append(derived[base], s.def)
		}
	}
	type known struct {
		fn *Function
		in *Service
	}
	names := map[string]known{}
	var visit func(s *Service)
	visit = func(s *Service) {
		var added []string
		for _, fn := range s.Functions {
			if old, ok := names[fn.Name]; ok {
				if old.in == s {
					f.errorf(fn.Pos, "%s.%s is defined twice, first on line %d: rename one of them", clip(s.Name), clip(fn.Name), old.fn.Pos.Line)
				} else {
					f.errorf(fn.Pos, "%s.%s is already in %s, which it extends (%s:%d): rename one of them", clip(s.Name), clip(fn.Name), clip(old.in.Name), old.in.Program.Path, old.fn.Pos.Line)
				}
				continue
			}
			names[fn.Name] = known{fn, s}
			added = append(added, fn.Name)
		}
		for _, d := range derived[s] {
			visit(d)
		}
		for _, name := range added {
			delete(names, name)
		}
	}
	for _, s := range list {
		base := s.def.Extends
		if base != nil && base.Program == f.prog {
			continue // it is visited from there
		}
		clear(names)
		for ; base != nil; base = base.Extends {
			for _, fn := range base.Functions {
				names[fn.Name] = known{fn, base}
			}
		}
		visit(s.def)
	}
}
