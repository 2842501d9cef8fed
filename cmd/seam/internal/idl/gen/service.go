package gen

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// service writes what a service is in Go: an interface for its handler, a
// client, a processor, and the messages between the two. With Kitex, streams are left to its client and server.
func (f *file) service(s *model.Service) {
	methods := f.methodNames(s)
	var list, calls []*function // all, and those that don't stream
	for _, fn := range s.Functions {
		made := f.function(s, fn, methods[fn])
		list = append(list, made)
		if !fn.Streams() {
			calls = append(calls, made)
		}
	}
	f.handlerInterface(s, list)
	f.unimplemented(s, list)
	f.client(s, calls)
	if f.opt.Kitex {
		f.processor(s, calls)
	} else {
		f.streamClient(s, list)
		f.processor(s, list)
		list = calls // streams have no messages beside those that the file declares
	}
	for _, fn := range list {
		f.message(fn.args, "are the arguments of "+s.Name+"."+fn.Name+".")
		f.shardKey(s, fn)
		f.mayRepeat(s, fn)
		f.message(fn.result, "is the result of "+s.Name+"."+fn.Name+", or one of its exceptions.")
	}
}

// A function is a function of a service with the messages that it needs.
type function struct {
	*model.Function
	of     *model.Service // which declares it
	method string         // its Go name
	args   *model.Struct  // nil: no arguments
	params []string       // names for args.Fields, where nobody uses them
	locals []string       // and in the method of a client
	result *model.Struct  // nil: nothing comes back
}

// function works out the messages of a function.
func (f *file) function(s *model.Service, fn *model.Function, method string) *function {
	made := &function{Function: fn, of: s, method: method}
	params := map[string]bool{"ctx": true}
	locals := map[string]bool{"ctx": true, "c": true, "err": true, "result": true, "codec": true, "thrift": true, "value": true}
	if len(fn.Args.Fields) > 0 || fn.Idempotent && !f.opt.Kitex { // a type of its own for a method
		args := *fn.Args
		args.Fields = nil
		for _, x := range fn.Args.Fields {
			args.Fields = append(args.Fields, f.plainField(x, x.Req))
			made.params = append(made.params, parameter(x.Name, params))
			made.locals = append(made.locals, parameter(x.Name, locals))
		}
		made.args = &args
	}
	if fn.Oneway || fn.Result.Kind == model.Void && len(fn.Throws) == 0 {
		return made
	}
	made.result = &model.Struct{Program: s.Program, Name: s.Name + "_" + fn.Name + "_result", Pos: fn.Pos}
	if fn.Result.Kind != model.Void {
		made.result.Fields = []*model.Field{{ID: 0, Name: "success", Type: fn.Result, Req: model.Optional}}
	}
	for _, x := range fn.Throws {
		made.result.Fields = append(made.result.Fields, f.plainField(x, model.Optional))
	}
	return made
}

// embedded are the run-time's types that messages may embed, so that no
// field can have their names.
var embedded = []string{"NoBinary", "NoCompact", "CheckUTF8"}

// plainField is a field of a message.
func (f *file) plainField(x *model.Field, req model.Req) *model.Field {
	y := *x
	y.Req = req
	if slices.Contains(embedded, exported(y.Name)) {
		y.Name += "_"
	}
	return &y
}

// success is the field of the result, nil for void.
func (fn *function) success() *model.Field {
	if fn.Result.Kind == model.Void {
		return nil
	}
	return fn.result.Fields[0]
}

// throws are the fields of the exceptions.
func (fn *function) throws() []*model.Field {
	switch {
	case fn.result == nil:
		return nil
	case fn.success() != nil:
		return fn.result.Fields[1:]
	}
	return fn.result.Fields
}

// methodNames are the Go names of a service's functions.
func (f *file) methodNames(s *model.Service) map[*model.Function]string {
	return methodNames(s, f.g.naming, func(s *model.Service) string { return f.g.namesOf(s.Program).services[s.Name] })
}

// methodNames are the Go names of a service's functions and of those that it
// extends. They differ from each other, and from the clients that a client
// embeds; name gives the Go name of a service. The names of a service don't
// depend on what extends it.
func methodNames(s *model.Service, naming Naming, name func(*model.Service) string) map[*model.Function]string {
	var chain []*model.Service
	for at := s; at != nil; at = at.Extends {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	taken := map[string]bool{}
	names := map[*model.Function]string{}
	for _, at := range chain {
		taken[name(at)+"Client"] = true
		if streams(at) {
			taken[name(at)+"Streams"] = true
		}
		for _, fn := range at.Functions {
			method := naming.exported(fn.Name)
			for taken[method] {
				method += "_"
			}
			taken[method] = true
			names[fn] = method
		}
	}
	return names
}

// signature is the parameters and results of a function's Go method; body
// says that it is a client's.
func (f *file) signature(fn *function, body bool) string {
	switch {
	case fn.Streams() && f.opt.Kitex:
		return f.streamSignature(fn)
	case fn.Streams():
		return f.streamHandler(fn)
	}
	params := fn.params
	if body {
		params = fn.locals
	}
	var b strings.Builder
	b.WriteString("(ctx " + f.use("context") + ".Context")
	if fn.args != nil {
		for i, x := range fn.args.Fields {
			b.WriteString(", " + params[i] + " " + f.fieldType(x))
		}
	}
	switch {
	case fn.Result.Kind == model.Void:
		b.WriteString(") error")
	case body:
		b.WriteString(") (value " + f.goType(fn.Result) + ", err error)")
	default:
		b.WriteString(") (" + f.goType(fn.Result) + ", error)")
	}
	return b.String()
}

// handlerInterface writes the interface that a handler implements.
func (f *file) handlerInterface(s *model.Service, list []*function) {
	f.chunk(func() {
		name := f.serviceName(s)
		f.P()
		f.doc(s.Doc, s.Annotations, name+" is the service "+s.Name+".")
		f.P("type ", name, " interface {")
		if s.Extends != nil {
			f.P(f.serviceName(s.Extends))
		}
		for i, fn := range list {
			if i > 0 || s.Extends != nil {
				f.P()
			}
			f.functionDoc(fn)
			f.P(fn.method, f.signature(fn, false))
		}
		f.P("}")
	})
}

// functionDoc is the comment of a function, with what it throws.
func (f *file) functionDoc(fn *function) {
	f.doc(fn.Doc, fn.Annotations, fn.method+" is the function "+fn.Name+".")
	if fn.Oneway {
		f.P("//")
		f.P("// It is a oneway function: the caller doesn't wait for it and never learns of an")
		f.P("// error.")
	}
	if fn.Streams() {
		return // what it throws arrives as text
	}
	var types []string
	for _, x := range fn.throws() {
		if t := f.goType(x.Type); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(types) > 0 {
		f.P("//")
		f.P("// The exceptions that it declares: ", strings.Join(types, ", "), ".")
	}
}

// messageName is the Go type of a message, which may be shared.
func (f *file) messageName(s *model.Struct) string {
	if s == nil {
		return f.runtime() + ".Empty"
	}
	return f.structName(s)
}

// message writes the type of arguments or of a result. It has what goes over
// the wire and no more, since users don't see it.
func (f *file) message(s *model.Struct, what string) {
	if s == nil {
		return
	}
	f.chunk(func() {
		name := f.structName(s)
		f.Apart("// ", name, " ", what)
		f.P("type ", name, " struct {")
		for i, on := range []bool{f.opt.NoBinary, f.opt.NoCompact, f.opt.UTF8} {
			if on {
				f.P(f.runtime(), ".", embedded[i])
			}
		}
		for _, x := range s.Fields {
			f.P(f.fieldName(s, x), " ", f.fieldType(x), " ", tag(x))
		}
		f.P("}")
	})
	// Messages don't keep unknown fields.
	all := f.opt
	opt := *f.opt
	opt.Unknown = false
	f.opt = &opt
	for _, p := range f.protocols() {
		f.appendMethod(s, p)
		f.readMethod(s, p)
	}
	f.opt = all
}

// isSlice reports whether nil is an empty value of a type, and not a missing one.
func isSlice(t *model.Type) bool {
	switch t.Kind {
	case model.Binary, model.List, model.Set, model.Map:
		return true
	}
	return false
}
