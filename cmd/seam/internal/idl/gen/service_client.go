package gen

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// client writes the client of a service.
func (f *file) client(s *model.Service, list []*function) {
	rt, name := f.thrift(), f.serviceName(s)+"Client"
	base := ""
	if s.Extends != nil {
		base = f.serviceName(s.Extends) + "Client"
	}
	f.Apart("// ", name, " calls a server of ", s.Name, ".")
	f.P("type ", name, " struct {")
	if base != "" {
		f.P("*", base)
	}
	f.P("caller ", rt, ".Caller")
	f.P("}")
	f.Apart("// New", name, " returns a client that makes its calls through c: a [thrift.Client], or")
	f.P("// what the program wraps around one.")
	f.P("func New", name, "(c ", rt, ".Caller) *", name, " {")
	if base != "" {
		f.P("return &", name, "{", constructor(base), "(c), c}")
	} else {
		f.P("return &", name, "{c}")
	}
	f.P("}")
	for _, fn := range list {
		f.clientMethod(name, fn)
	}
}

// constructor puts New in front of a name, after the name of its package.
func constructor(name string) string {
	dot := strings.LastIndexByte(name, '.')
	return name[:dot+1] + "New" + name[dot+1:]
}

// clientMethod writes the method that calls a function.
func (f *file) clientMethod(client string, fn *function) {
	f.P()
	f.functionDoc(fn)
	f.P("func (c *", client, ") ", fn.method, f.signature(fn, true), " {")
	var args []string
	if fn.args != nil {
		for i, x := range fn.args.Fields {
			args = append(args, f.fieldName(fn.args, x)+": "+fn.locals[i])
		}
	}
	call := `c.caller.Call(ctx, "` + fn.Name + `", &` + f.messageName(fn.args) + "{" + strings.Join(args, ", ") + "}, "
	switch {
	case fn.Oneway:
		f.P("return ", call, "nil)")
	case fn.result == nil:
		f.P("return ", call, "&", f.messageName(nil), "{})")
	default:
		f.P("var result ", f.structName(fn.result))
		f.clientResult(fn, call)
	}
	f.P("}")
}

// clientResult writes the call and what is done with its result.
func (f *file) clientResult(fn *function, call string) {
	give, success := "return ", fn.success()
	if success != nil {
		give = "err = "
		f.P("if err = ", call, "&result); err != nil {")
		f.P("return")
	} else {
		f.P("if err := ", call, "&result); err != nil {")
		f.P("return err")
	}
	f.P("}")
	if len(fn.throws()) == 0 {
		f.successOnly(fn)
		return
	}
	f.P("switch {")
	for _, x := range fn.throws() {
		field := "result." + f.fieldName(fn.result, x)
		f.P("case ", field, " != nil:")
		f.P(give, field)
	}
	if success == nil {
		f.P("}")
		f.P("return nil")
		return
	}
	field := "result." + f.fieldName(fn.result, success)
	f.P("case ", field, " == nil:")
	f.P("err = ", f.missingResult(fn))
	f.P("default:")
	if pointerField(success) {
		field = "*" + field
	}
	f.P("value = ", field)
	f.P("}")
	f.P("return")
}

// successOnly writes what is done with the result of a function that declares
// no exceptions.
func (f *file) successOnly(fn *function) {
	field := "result." + f.fieldName(fn.result, fn.success())
	f.Block("if "+field+" == nil", "return value, ", f.missingResult(fn))
	if pointerField(fn.success()) {
		field = "*" + field
	}
	f.P("return ", field, ", nil")
}

// missingResult is the exception for a function that returned nothing,
// although the Thrift file says that it returns something.
func (f *file) missingResult(fn *function) string {
	return "&" + f.thrift() + ".ApplicationException{Type: " + f.thrift() + `.MissingResult, Message: "` + fn.Name + `: neither a result nor an exception"}`
}
