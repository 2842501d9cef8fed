package gen

import (
	"maps"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// The packages of Kitex that a service's package needs.
const (
	kitexPath       = "github.com/cloudwego/kitex/"
	kitexClient     = kitexPath + "client"
	kitexCallOption = kitexPath + "client/callopt"
	kitexInfo       = kitexPath + "pkg/serviceinfo"
	kitexServer     = kitexPath + "server"
)

// servicePackage is the package that Kitex's tool would write for a service: it has its
// client, its server and what Kitex has to know of it.
func (g *generator) servicePackage(s *model.Service) *goPackage {
	in := g.packageOf(s.Program)
	name := serviceFolder(s)
	return &goPackage{folder: path.Join(in.folder, name), name: packageName(name), importPath: path.Join(in.importPath, name)}
}

// serviceFolder is the folder of a service's package in that of its program: its Go name in
// Kitex's code, low_args in lowargs_.
func serviceFolder(s *model.Service) string {
	name := strings.ToLower(NamingKitex.exported(s.Name))
	if s.Name[0] == '_' {
		name = strings.TrimPrefix(name, "x") // which Kitex's doesn't have
	}
	return name
}

// unsupported is the panic that stops the writing of what there is no code for.
type unsupported string

func (e unsupported) Error() string { return string(e) }

// kitexService writes the files of a service's package, under the names that those of
// Kitex's tool have.
func (g *generator) kitexService(s *model.Service) []File {
	pkg := g.servicePackage(s)
	main := fileName(s.Name)
	switch main {
	case "client", "server", "invoker":
		main += "_service"
	}
	var files []File
	for _, part := range []struct {
		name  string
		write func(*kitexWriter)
	}{
		{main, (*kitexWriter).info},
		{"client", (*kitexWriter).client},
		{"server", (*kitexWriter).server},
		{"invoker", (*kitexWriter).invoker},
	} {
		f := g.newFile(s.Program)
		f.pkg = pkg
		for _, own := range []string{"methods", "service", "describe", "some", "clientService", "streamService"} {
			f.taken[own] = true
		}
		k := &kitexWriter{file: f, s: s}
		methods := f.methodNames(s)
		for at := s; at != nil; at = at.Extends {
			for _, fn := range at.Functions {
				k.functions = append(k.functions, f.function(at, fn, methods[fn]))
				k.streams = k.streams || fn.Streaming != ""
			}
		}
		part.write(k)
		text := f.source(false)
		if part.name == main {
			text = f.sourceWith("// Package " + pkg.name + " is the service " + s.Name + " for Kitex.\n")
		}
		files = append(files, File{
			Path:    filepath.Join(g.opt.Out, filepath.FromSlash(pkg.folder), part.name+".go"),
			Text:    text,
			Program: s.Program,
		})
	}
	return files
}

// A kitexWriter writes a file of a service's package.
type kitexWriter struct {
	*file
	s         *model.Service
	functions []*function // those that it extends, too
	streams   bool        // one of them is called through a stream
}

// message is the type of a function's arguments or result.
func (k *kitexWriter) message(fn *function, end string) string {
	names := k.g.namesOf(fn.of.Program)
	return k.useProgram(fn.of.Program) + names.kitex[fn.of.Name+"_"+fn.Name+"_"+end]
}

// params are the parameters of a function after its context, and their names. They hide no
// package that is used already.
func (k *kitexWriter) params(fn *function) (params string, names []string) {
	if fn.args == nil {
		return "", nil
	}
	taken := maps.Clone(k.taken)
	for _, name := range []string{"ctx", "p", "err", "r", "args", "result", "callOptions"} {
		taken[name] = true
	}
	for _, x := range fn.args.Fields {
		name := parameter(x.Name, taken)
		params += ", " + name + " " + k.fieldType(x)
		names = append(names, name)
	}
	return params, names
}

// results are what a function returns.
func (k *kitexWriter) results(fn *function) string {
	if fn.Result.Kind == model.Void {
		return "error"
	}
	return "(r " + k.goType(fn.Result) + ", err error)"
}

// info writes what Kitex has to know of the service.
func (k *kitexWriter) info() {
	info := k.useAs(kitexInfo, "serviceinfo")
	if len(k.functions) == 0 {
		k.Apart("var methods map[string]", info, ".MethodInfo")
	} else {
		k.methods(info)
	}
	if k.streams {
		k.describeStreams(info)
	} else {
		k.Apart("var service = NewServiceInfo()")
		k.Apart("// NewServiceInfo describes the service to Kitex.")
		k.short("func NewServiceInfo() *"+info+".ServiceInfo {", "return describe(methods)")
		k.Apart("// NewServiceInfoForClient describes the service for a client.")
		k.short("func NewServiceInfoForClient() *"+info+".ServiceInfo {", "return describe(methods)")
		k.Apart("// NewServiceInfoForStreamClient describes the streaming functions, of which there are none.")
		k.short("func NewServiceInfoForStreamClient() *"+info+".ServiceInfo {", "return describe(nil)")
	}
	k.Apart("func describe(methods map[string]", info, ".MethodInfo) *", info, ".ServiceInfo {")
	k.P("all := map[string]", info, ".MethodInfo{}")
	k.Block("for name, method := range methods", "all[name] = method")
	k.P("return &", info, ".ServiceInfo{")
	k.P("ServiceName:     ", strconv.Quote(k.s.Name), ",")
	k.P("HandlerType:     (*", k.serviceName(k.s), ")(nil),")
	k.P("Methods:         all,")
	k.P("PayloadCodec:    ", info, ".Thrift,")
	k.P("KiteXGenVersion: \"seam\",")
	k.P("Extra:           map[string]any{\"PackageName\": ", strconv.Quote(k.g.packageOf(k.s.Program).name), "},")
	k.P("}")
	k.P("}")
	for _, fn := range k.functions {
		k.Apart("func handle", fn.method, "(ctx ", k.use("context"), ".Context, handler, args, result any) error {")
		if fn.Streams() {
			k.handleStream(fn)
		} else {
			k.handle(fn)
		}
		k.P("}")
	}
	k.Apart("type kClient struct{ c ", k.useAs(kitexClient, "client"), ".Client }")
	for _, fn := range k.functions {
		if fn.Streams() {
			k.openStream(fn)
		} else {
			k.call(fn)
		}
	}
	for _, fn := range k.functions {
		if fn.Streams() {
			k.streamTypes(fn)
		}
	}
}

// methods writes the table of the functions.
func (k *kitexWriter) methods(info string) {
	k.Apart("var methods = map[string]", info, ".MethodInfo{")
	for _, fn := range k.functions {
		k.P(strconv.Quote(fn.Name), ": ", info, ".NewMethodInfo(handle", fn.method, ",")
		k.depth++
		k.P("func() any {") // on three lines: gofmt has no long function on one
		k.P("return new(", k.message(fn, "args"), ")")
		k.P("},")
		if fn.Oneway {
			k.P("nil, true,")
		} else {
			k.P("func() any {")
			k.P("return new(", k.message(fn, "result"), ")")
			k.P("}, false,")
		}
		k.P(info, ".WithStreamingMode(", info, ".", streamingMode(fn.Streaming), ")),")
		k.depth--
	}
	k.P("}")
}

// handle writes the call of a handler.
func (k *kitexWriter) handle(fn *function) {
	if fn.Streaming != "" {
		k.Block("if "+k.streaming()+".GetStream(ctx) == nil", "return ", k.wrongCall(fn))
	}
	call := "handler.(" + k.serviceName(k.s) + ")." + fn.method + "(ctx"
	if fn.args != nil {
		k.P("a := args.(*", k.message(fn, "args"), ")")
		for _, x := range fn.args.Fields {
			call += ", a." + k.fieldName(fn.args, x)
		}
	}
	call += ")"
	success := fn.success()
	if success == nil && len(fn.throws()) == 0 {
		k.P("return ", call)
		return
	}
	k.P("r := result.(*", k.message(fn, "result"), ")")
	if success == nil {
		k.P("err := ", call)
	} else {
		k.P("value, err := ", call)
	}
	if len(fn.throws()) == 0 {
		k.Block("if err != nil", "return err")
	} else {
		// As Kitex's: an exception in an error is not taken out of it.
		k.P("switch e := err.(type) {")
		k.P("case nil:")
		seen := map[string]bool{}
		for _, x := range fn.throws() {
			if t := k.goType(x.Type); !seen[t] {
				seen[t] = true
				k.P("case ", t, ":")
				k.P("r.", k.fieldName(fn.result, x), " = e")
				k.P("return nil")
			}
		}
		k.P("default:")
		k.P("return err")
		k.P("}")
	}
	if success != nil {
		value := "value"
		if pointerField(success) {
			value = "&value"
		}
		k.P("r.", k.fieldName(fn.result, success), " = ", value)
	}
	k.P("return nil")
}

// call writes the method of a client.
func (k *kitexWriter) call(fn *function) {
	args := k.message(fn, "args")
	params, names := k.params(fn)
	k.Apart("func (p *kClient) ", fn.method, "(ctx ", k.use("context"), ".Context", params, ") ", k.results(fn), " {")
	k.P("var args ", args)
	for i, name := range names {
		k.P("args.", k.fieldName(fn.args, fn.args.Fields[i]), " = ", name)
	}
	method := strconv.Quote(fn.Name)
	if fn.Oneway {
		k.P("return p.c.Call(ctx, ", method, ", &args, nil)")
		k.P("}")
		return
	}
	k.P("var result ", k.message(fn, "result"))
	success := fn.success()
	if success == nil && len(fn.throws()) == 0 {
		k.P("return p.c.Call(ctx, ", method, ", &args, &result)")
		k.P("}")
		return
	}
	failed := func(err string) string {
		if success == nil {
			return "return " + err
		}
		return "return r, " + err
	}
	k.Block("if err := p.c.Call(ctx, "+method+", &args, &result); err != nil", failed("err"))
	for _, x := range fn.throws() {
		field := "result." + k.fieldName(fn.result, x)
		k.Block("if "+field+" != nil", failed(field))
	}
	if success == nil {
		k.P("return nil")
	} else {
		k.P("return result.GetSuccess(), nil")
	}
	k.P("}")
}

// client writes the client of the service.
func (k *kitexWriter) client() {
	lib := k.useAs(kitexClient, "client")
	signature := func(fn *function) string {
		params, _ := k.params(fn)
		return fn.method + "(ctx " + k.use("context") + ".Context" + params + ", callOptions ..." + k.useAs(kitexCallOption, "callopt") + ".Option) " + k.results(fn)
	}
	k.Apart("// Client calls the functions of the service.")
	k.P("type Client interface {")
	for _, fn := range k.functions {
		if fn.Streaming == "" {
			k.P(signature(fn))
		}
	}
	k.P("}")
	k.Apart("// NewClient makes a client of the service that is found under the name destService.")
	k.P("func NewClient(destService string, opts ...", lib, ".Option) (Client, error) {")
	k.P("opts = append([]", lib, ".Option{", lib, ".WithDestService(destService)}, opts...)")
	service := "service"
	if k.streams {
		service = "clientService"
	}
	k.P("c, err := ", lib, ".NewClient(", service, ", opts...)")
	k.Block("if err != nil", "return nil, err")
	k.P("return &optionClient{kClient{c}}, nil")
	k.P("}")
	k.Apart("// MustNewClient is NewClient, but panics if there is an error.")
	k.P("func MustNewClient(destService string, opts ...", lib, ".Option) Client {")
	k.P("c, err := NewClient(destService, opts...)")
	k.Block("if err != nil", "panic(err)")
	k.P("return c")
	k.P("}")
	k.Apart("type optionClient struct{ kClient }")
	for _, fn := range k.functions {
		if fn.Streaming != "" {
			continue
		}
		_, names := k.params(fn)
		args := append([]string{lib + ".NewCtxWithCallOptions(ctx, callOptions)"}, names...)
		k.Apart("func (p *optionClient) ", signature(fn), " {")
		k.P("return p.kClient.", fn.method, "(", strings.Join(args, ", "), ")")
		k.P("}")
	}
	if k.streams {
		k.streamClient(lib)
	}
}

// server writes the server of the service.
func (k *kitexWriter) server() {
	lib, handler := k.useAs(kitexServer, "server"), k.serviceName(k.s)
	k.Apart("// NewServer makes a server whose functions are the handler's.")
	k.P("func NewServer(handler ", handler, ", opts ...", lib, ".Option) ", lib, ".Server {")
	k.P("opts = append(opts[:len(opts):len(opts)], ", lib, ".WithCompatibleMiddlewareForUnary())")
	k.P("s := ", lib, ".NewServer(opts...)")
	k.Block("if err := RegisterService(s, handler); err != nil", "panic(err)")
	k.P("return s")
	k.P("}")
	k.Apart("// RegisterService adds the service to a server.")
	k.P("func RegisterService(s ", lib, ".Server, handler ", handler, ", opts ...", lib, ".RegisterOption) error {")
	k.P("return s.RegisterService(service, handler, opts...)")
	k.P("}")
}

// invoker writes what calls the handler without a network.
func (k *kitexWriter) invoker() {
	lib := k.useAs(kitexServer, "server")
	k.Apart("// NewInvoker makes an invoker whose functions are the handler's.")
	k.P("func NewInvoker(handler ", k.serviceName(k.s), ", opts ...", lib, ".Option) ", lib, ".Invoker {")
	k.P("s := ", lib, ".NewInvoker(opts...)")
	k.Block("if err := s.RegisterService(service, handler); err != nil", "panic(err)")
	k.Block("if err := s.Init(); err != nil", "panic(err)")
	k.P("return s")
	k.P("}")
}
