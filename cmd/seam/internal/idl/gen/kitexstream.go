package gen

import (
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// Functions with the annotation streaming.mode are called through Kitex's streams, with the
// interfaces that kitex writes for them. Those of mode unary are ordinary functions that go
// through a stream.

// More packages of Kitex, which streams need.
const (
	kitexStreaming    = kitexPath + "pkg/streaming"
	kitexStreamClient = kitexPath + "client/streamclient"
	kitexStreamCall   = kitexPath + "client/callopt/streamcall"
	kitexTransport    = kitexPath + "transport"
)

// streamingMode is Kitex's constant for a mode.
func streamingMode(mode string) string {
	switch mode {
	case "client":
		return "StreamingClient"
	case "server":
		return "StreamingServer"
	case "bidirectional":
		return "StreamingBidirectional"
	case "unary":
		return "StreamingUnary"
	}
	return "StreamingNone"
}

// A streamMethod is a method of a stream, beside those that all have.
type streamMethod struct {
	name string
	send *model.Type // what it takes, or nil
	recv *model.Type // what it returns, or nil
}

// streamMethods are the methods of the server's side of a stream, or of the client's.
func streamMethods(fn *function, server bool) (list []streamMethod) {
	request, response := fn.args.Fields[0].Type, fn.Result
	switch {
	case server && fn.Streaming == "client":
		return []streamMethod{{"Recv", nil, request}, {"SendAndClose", response, nil}}
	case server && fn.Streaming == "server":
		return []streamMethod{{"Send", response, nil}}
	case server:
		return []streamMethod{{"Recv", nil, request}, {"Send", response, nil}}
	case fn.Streaming == "client":
		return []streamMethod{{"Send", request, nil}, {"CloseAndRecv", nil, response}}
	case fn.Streaming == "server":
		return []streamMethod{{"Recv", nil, response}}
	}
	return []streamMethod{{"Send", request, nil}, {"Recv", nil, response}}
}

func (f *file) streaming() string { return f.useAs(kitexStreaming, "streaming") }

// streamSignature is the parameters and results of a handler's method.
func (f *file) streamSignature(fn *function) string {
	stream := f.useProgram(fn.of.Program) + f.g.namesOf(fn.of.Program).streams[fn.Function]
	if fn.Streaming == "server" {
		return "(req " + f.goType(fn.args.Fields[0].Type) + ", stream " + stream + ") error"
	}
	return "(stream " + stream + ") error"
}

// streamInterface writes the server's side of a stream.
func (f *file) streamInterface(fn *function) {
	name := f.g.namesOf(fn.of.Program).streams[fn.Function]
	f.Apart("// ", name, " is the stream that a handler of ", fn.method, " gets.")
	f.streamMethods(name, fn, true)
}

// streamMethods writes an interface.
func (f *file) streamMethods(name string, fn *function, server bool) {
	f.P("type ", name, " interface {")
	f.P(f.streaming(), ".Stream")
	for _, m := range streamMethods(fn, server) {
		if m.recv != nil {
			f.P(m.name, "() (", f.goType(m.recv), ", error)")
		} else {
			f.P(m.name, "(", f.goType(m.send), ") error")
		}
	}
	f.P("}")
}

// streamName is the type of the client's side of a stream.
func (k *kitexWriter) streamName(fn *function) string {
	return k.g.namesOf(fn.of.Program).services[fn.of.Name] + "_" + identifier(fn.Name) + "Client"
}

// describeStreams writes what describes the service, as a whole, to clients and to stream clients.
func (k *kitexWriter) describeStreams(info string) {
	k.Apart("var (")
	k.P("service       = NewServiceInfo()")
	k.P("clientService = NewServiceInfoForClient()")
	k.P("streamService = NewServiceInfoForStreamClient()")
	k.P(")")
	k.Apart("// NewServiceInfo describes the service to Kitex.")
	k.P("func NewServiceInfo() *", info, ".ServiceInfo {")
	k.P("s := describe(methods)")
	k.P("s.Extra[\"streaming\"] = true")
	k.P("return s")
	k.P("}")
	k.Apart("// NewServiceInfoForClient describes the functions that don't stream.")
	k.short("func NewServiceInfoForClient() *"+info+".ServiceInfo {", "return describe(some(false))")
	k.Apart("// NewServiceInfoForStreamClient describes the functions that are called through a stream.")
	k.P("func NewServiceInfoForStreamClient() *", info, ".ServiceInfo {")
	k.P("s := describe(some(true))")
	k.P("s.Extra[\"streaming\"] = true")
	k.P("return s")
	k.P("}")
	k.Apart("// some are the functions that are called through a stream, or the others.")
	k.P("func some(streaming bool) map[string]", info, ".MethodInfo {")
	k.P("list := map[string]", info, ".MethodInfo{}")
	k.P("for name, method := range methods {")
	k.Block("if method.IsStreaming() == streaming", "list[name] = method")
	k.P("}")
	k.P("return list")
	k.P("}")
}

// wrongCall is the error of a call that doesn't come through a stream.
func (k *kitexWriter) wrongCall(fn *function) string {
	return k.use("errors") + ".New(" + strconv.Quote("a call of "+fn.of.Name+"."+fn.Name+" without a stream: use a StreamClient") + ")"
}

// handleStream writes the call of a handler.
func (k *kitexWriter) handleStream(fn *function) {
	k.P("st, ok := args.(*", k.streaming(), ".Args)")
	k.Block("if !ok", "return ", k.wrongCall(fn))
	call := "handler.(" + k.serviceName(k.s) + ")." + fn.method + "("
	if fn.Streaming == "server" {
		k.P("req := new(", k.goType(fn.args.Fields[0].Type)[1:], ")")
		k.Block("if err := st.Stream.RecvMsg(req); err != nil", "return err")
		call += "req, "
	}
	k.P("return ", call, "&server", fn.method, "{st.Stream})")
}

// openStream writes the method of a client.
func (k *kitexWriter) openStream(fn *function) {
	params, names := "", []string(nil)
	if fn.Streaming == "server" {
		params, names = k.params(fn)
	}
	k.Apart("func (p *kClient) ", fn.method, "(ctx ", k.use("context"), ".Context", params, ") (", k.streamName(fn), ", error) {")
	k.P("c, ok := p.c.(", k.useAs(kitexClient, "client"), ".Streaming)")
	k.Block("if !ok", "return nil, ", k.use("errors"), ".New(\"the client has no streams\")")
	k.P("var result ", k.streaming(), ".Result")
	k.Block("if err := c.Stream(ctx, "+strconv.Quote(fn.Name)+", nil, &result); err != nil", "return nil, err")
	for _, name := range names {
		k.Block("if err := result.Stream.SendMsg("+name+"); err != nil", "return nil, err")
		k.Block("if err := result.Stream.Close(); err != nil", "return nil, err")
	}
	k.P("return &client", fn.method, "{result.Stream}, nil")
	k.P("}")
}

// streamTypes writes both sides of a stream.
func (k *kitexWriter) streamTypes(fn *function) {
	client, server := "client"+fn.method, "server"+fn.method
	k.Apart("type ", client, " struct{ ", k.streaming(), ".Stream }")
	k.Apart("func (s *", client, ") DoFinish(err error) {")
	k.P("finisher, ok := s.Stream.(", k.streaming(), ".WithDoFinish)")
	k.Block("if !ok", "panic(", k.use("fmt"), ".Sprintf(\"streaming.WithDoFinish is not implemented by %T\", s.Stream))")
	k.P("finisher.DoFinish(err)")
	k.P("}")
	k.streamBodies(client, fn, false)
	k.Apart("type ", server, " struct{ ", k.streaming(), ".Stream }")
	k.streamBodies(server, fn, true)
}

func (k *kitexWriter) streamBodies(on string, fn *function, server bool) {
	for _, m := range streamMethods(fn, server) {
		if m.recv == nil {
			k.Apart("func (s *", on, ") ", m.name, "(m ", k.goType(m.send), ") error {")
			k.P("return s.Stream.SendMsg(m)")
			k.P("}")
			continue
		}
		t := k.goType(m.recv)
		k.Apart("func (s *", on, ") ", m.name, "() (", t, ", error) {")
		if m.name == "CloseAndRecv" {
			k.Block("if err := s.Stream.Close(); err != nil", "return nil, err")
		}
		k.P("m := new(", t[1:], ")")
		k.P("return m, s.Stream.RecvMsg(m)")
		k.P("}")
	}
}

// streamClient writes the client of the functions that are called through a stream.
func (k *kitexWriter) streamClient(lib string) {
	call := k.useAs(kitexStreamCall, "streamcall")
	signature := func(fn *function) string {
		params, _ := k.params(fn)
		results := k.results(fn)
		if fn.Streams() {
			results = "(stream " + k.streamName(fn) + ", err error)"
			if fn.Streaming != "server" {
				params = ""
			}
		}
		return fn.method + "(ctx " + k.use("context") + ".Context" + params + ", callOptions ..." + call + ".Option) " + results
	}
	k.Apart("// StreamClient calls the functions of the service that go through a stream.")
	k.P("type StreamClient interface {")
	for _, fn := range k.functions {
		if fn.Streaming != "" {
			k.P(signature(fn))
		}
	}
	k.P("}")
	for _, fn := range k.functions {
		if fn.Streams() {
			k.Apart("// ", k.streamName(fn), " is the stream that a caller of ", fn.method, " gets.")
			k.streamMethods(k.streamName(fn), fn, false)
		}
	}
	options := k.useAs(kitexStreamClient, "streamclient")
	k.Apart("// NewStreamClient makes a client of the service that is found under the name destService.")
	k.P("func NewStreamClient(destService string, opts ...", options, ".Option) (StreamClient, error) {")
	k.P("list := []", lib, ".Option{", lib, ".WithDestService(destService), ", lib, ".WithTransportProtocol(", k.useAs(kitexTransport, "transport"), ".GRPC)}")
	k.P("c, err := ", lib, ".NewClient(streamService, append(list, ", options, ".GetClientOptions(opts)...)...)")
	k.Block("if err != nil", "return nil, err")
	k.P("return &optionStreamClient{kClient{c}}, nil")
	k.P("}")
	k.Apart("// MustNewStreamClient is NewStreamClient, but panics if there is an error.")
	k.P("func MustNewStreamClient(destService string, opts ...", options, ".Option) StreamClient {")
	k.P("c, err := NewStreamClient(destService, opts...)")
	k.Block("if err != nil", "panic(err)")
	k.P("return c")
	k.P("}")
	k.Apart("type optionStreamClient struct{ kClient }")
	for _, fn := range k.functions {
		if fn.Streaming == "" {
			continue
		}
		args := lib + ".NewCtxWithCallOptions(ctx, " + call + ".GetCallOptions(callOptions))"
		if _, names := k.params(fn); fn.Streaming == "server" || !fn.Streams() {
			for _, name := range names {
				args += ", " + name
			}
		}
		k.Apart("func (p *optionStreamClient) ", signature(fn), " {")
		k.P("return p.kClient.", fn.method, "(", args, ")")
		k.P("}")
	}
}
