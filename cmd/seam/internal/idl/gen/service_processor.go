package gen

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// processor writes the type that answers the calls of a service through a handler.
func (f *file) processor(s *model.Service, list []*function) {
	rt, service := f.thrift(), f.serviceName(s)
	name := f.g.namesOf(s.Program).processors[s.Name]
	f.Apart("// New", service, "Processor returns a processor that answers calls with a handler. Errors that")
	f.P("// a function doesn't declare, and panics, become exceptions of type")
	f.P("// thrift.InternalError.")
	f.P("func New", service, "Processor(handler ", service, ") ", rt, ".Processor {")
	if s.Extends != nil {
		f.P("return &", name, "{", constructor(f.serviceName(s.Extends)), "Processor(handler), handler}")
	} else {
		f.P("return &", name, "{handler}")
	}
	f.P("}")
	f.chunk(func() {
		f.Apart("type ", name, " struct {")
		if s.Extends != nil {
			f.P("base ", rt, ".Processor")
		}
		f.P("handler ", service)
		f.P("}")
	})
	f.Apart("func (p *", name, ") Process(ctx ", f.use("context"), ".Context, c *", rt, ".Call) {")
	f.P("switch c.Function {")
	for _, fn := range list {
		f.P(`case "`, fn.Name, `":`)
		if fn.Streams() {
			f.P(f.thrift(), ".Answer", streamKinds[fn.Streaming], "(ctx, c, p.handler.", fn.method, ")")
			continue
		}
		f.P("p.handle", fn.method, "(ctx, c)")
	}
	f.P("default:")
	if s.Extends != nil {
		f.P("p.base.Process(ctx, c)")
	} else {
		f.P("c.UnknownFunction()")
	}
	f.P("}")
	f.P("}")
	for _, fn := range list {
		if !fn.Streams() {
			f.handle(name, fn)
		}
	}
}

// handle writes the method that answers the calls of one function.
func (f *file) handle(processor string, fn *function) {
	f.Apart("func (p *", processor, ") handle", fn.method, "(ctx ", f.use("context"), ".Context, c *", f.thrift(), ".Call) {")
	if fn.Oneway {
		f.P("c.NoReply()")
	}
	f.P("args := ", f.thrift(), ".NewArgs[", f.messageName(fn.args), "](c)")
	f.Block("if !c.Args(args)", "return")
	var call strings.Builder
	call.WriteString("p.handler." + fn.method + "(ctx")
	if fn.args != nil {
		for _, x := range fn.args.Fields {
			call.WriteString(", args." + f.fieldName(fn.args, x))
		}
	}
	call.WriteString(")")
	switch {
	case fn.Oneway:
		f.Block("if err := "+call.String()+"; err != nil", "c.Fail(err)")
	case fn.result == nil:
		f.P("if err := ", call.String(), "; err != nil {")
		f.P("c.Fail(err)")
		f.P("return")
		f.P("}")
		f.P("c.Reply(&", f.messageName(nil), "{})")
	default:
		f.handleResult(fn, call.String())
	}
	f.P("}")
}

// handleResult writes the call of the handler and the answer.
func (f *file) handleResult(fn *function, call string) {
	f.P("var result ", f.structName(fn.result))
	success := fn.success()
	if success != nil {
		f.P("value, err := ", call)
	} else {
		f.P("err := ", call)
	}
	var keep []string // the lines that store the value in the result
	missing := success != nil && success.Type.Kind == model.StructKind
	if success != nil {
		field := "result." + f.fieldName(fn.result, success)
		switch {
		case pointerField(success):
			keep = []string{field + " = &value"}
		case isSlice(success.Type):
			keep = []string{"if value == nil {", "value = " + f.goType(success.Type) + "{}", "}", field + " = value"}
		default:
			keep = []string{field + " = value"}
		}
	}
	if len(fn.throws()) == 0 && !missing {
		f.P("if err != nil {")
		f.P("c.Fail(err)")
		f.P("return")
		f.P("}")
		f.lines(keep)
		f.P("c.Reply(&result)")
		return
	}
	f.P("switch {")
	if missing {
		f.P("case err == nil && value == nil:")
		f.P("c.Fail(", f.missingResult(fn), ")")
		f.P("return")
	}
	f.P("case err == nil:")
	f.lines(keep)
	for _, x := range fn.throws() {
		f.P("case ", f.use("errors"), ".As(err, &result.", f.fieldName(fn.result, x), "):")
	}
	f.P("default:")
	f.P("c.Fail(err)")
	f.P("return")
	f.P("}")
	f.P("c.Reply(&result)")
}

func (f *file) lines(list []string) {
	for _, line := range list {
		f.P(line)
	}
}
