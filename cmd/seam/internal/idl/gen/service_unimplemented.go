package gen

import (
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// unimplemented writes the type by which a handler need not have all functions of a
// service, nor those that it gets later.
func (f *file) unimplemented(s *model.Service, list []*function) {
	name := f.unimplementedName(s)
	f.chunk(func() {
		f.Apart("// ", name, " is a ", f.serviceName(s), " that answers that no function is implemented. A handler that")
		f.P("// embeds it need not have all of them.")
		if s.Extends == nil {
			f.P("type ", name, " struct{}")
		} else {
			f.P("type ", name, " struct{ ", f.unimplementedName(s.Extends), " }")
		}
	})
	for _, fn := range list {
		f.Apart("// ", fn.method, " answers that it is not implemented.")
		values := ""
		switch {
		case fn.Streams() && !f.opt.Kitex && fn.Streaming == "client":
			values = "nil, "
		case fn.Result.Kind != model.Void && !fn.Streams():
			values = "value, "
		}
		f.P("func (", name, ") ", fn.method, f.signature(fn, true), " {")
		f.P("return ", values, f.thrift(), ".Unimplemented(", strconv.Quote(fn.Name), ")")
		f.P("}")
	}
}

// unimplementedName is the name of the type.
func (f *file) unimplementedName(s *model.Service) string {
	return f.useProgram(s.Program) + f.g.namesOf(s.Program).unimplemented[s.Name]
}
