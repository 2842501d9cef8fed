package gen

import (
	"slices"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// Functions that stream go over TTHeader, by package thrift's generic types. Their clients are types
// of their own, since they need a thrift.Streamer, where others need a thrift.Caller.

// streamKinds are what package thrift calls the modes.
var streamKinds = map[string]string{"bidirectional": "Bidirectional", "client": "ClientStream", "server": "ServerStream"}

// streams reports whether a service has functions that stream.
func streams(s *model.Service) bool {
	return slices.ContainsFunc(s.Functions, (*model.Function).Streams)
}

// streamHandler is the parameters and results of a handler's method.
func (f *file) streamHandler(fn *function) string {
	request, response := f.goType(fn.args.Fields[0].Type), f.goType(fn.Result)
	begin := "(ctx " + f.use("context") + ".Context, "
	in, out := "in *"+f.thrift()+".Receiver["+request+"]", "out *"+f.thrift()+".Sender["+response+"]"
	switch fn.Streaming {
	case "client":
		return begin + in + ") (" + response + ", error)"
	case "server":
		return begin + "request " + request + ", " + out + ") error"
	}
	return begin + in + ", " + out + ") error"
}

// streamClient writes the client of the functions that stream, if there are any.
func (f *file) streamClient(s *model.Service, list []*function) {
	if !streams(s) {
		return
	}
	name := f.g.namesOf(s.Program).openers[s.Name]
	base := s.Extends
	for base != nil && !streams(base) {
		base = base.Extends
	}
	f.Apart("// ", name[0], " opens streams to a server of ", s.Name, ".")
	f.P("type ", name[0], " struct {")
	var of [2]string // the base's, in this package
	if base != nil {
		for i, x := range f.g.namesOf(base.Program).openers[base.Name] {
			of[i] = f.useProgram(base.Program) + x
		}
		f.P("*", of[0])
	}
	f.P("by ", f.thrift(), ".Streamer")
	f.P("}")
	f.Apart("// ", name[1], " returns a client that opens its streams by s: [thrift.Streams], or what the")
	f.P("// program has for them.")
	f.P("func ", name[1], "(s ", f.thrift(), ".Streamer) *", name[0], " {")
	if base != nil {
		f.P("return &", name[0], "{", of[1], "(s), s}")
	} else {
		f.P("return &", name[0], "{s}")
	}
	f.P("}")
	for _, fn := range list {
		if fn.Streams() {
			f.openMethod(name[0], fn)
		}
	}
}

// openMethod writes the method that opens a stream to a function.
func (f *file) openMethod(client string, fn *function) {
	request, response := f.goType(fn.args.Fields[0].Type), f.goType(fn.Result)
	sender, receiver := "*"+f.thrift()+".Sender["+request+"]", "*"+f.thrift()+".Receiver["+response+"]"
	params, results, more := "", "("+sender+", "+receiver+", error)", ""
	switch fn.Streaming {
	case "client":
		results = "(*" + f.thrift() + ".Upload[" + response + ", " + request + "], error)"
	case "server":
		params, results, more = ", request "+request, "("+receiver+", error)", ", request"
	}
	f.P()
	f.functionDoc(fn)
	f.P("func (c *", client, ") ", fn.method, "(ctx ", f.use("context"), ".Context", params, ") ", results, " {")
	f.P("return ", f.thrift(), ".Open", streamKinds[fn.Streaming], "[", response, ", ", request, "](ctx, c.by, ", strconv.Quote(fn.of.Name), ", ", strconv.Quote(fn.Name), more, ")")
	f.P("}")
}
