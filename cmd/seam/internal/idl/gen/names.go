package gen

import (
	"go/token"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// How Go names are made.
//
// A name's words are joined with capitals: an underscore before a
// lower-case letter is dropped, others stay (user_id is UserID, MAX_SIZE
// stays), as in Apache's Go. A word that golint knows as an initialism is
// written in capitals. A name that can't begin with a capital gets an X in
// front.
//
// Where two names meet, the later one gets an underscore at its end. The order among the
// names of a file is: types in the order of the source, then constants, values of enums,
// services, constructors and parsers, what only Kitex needs; among the fields of a
// struct: methods, then the fields in the order of the source. Names depend on the [Naming],
// but on no other option, nor on which files are generated together. What is above is
// NamingGo.

// initialisms are those of golint.
var initialisms = map[string]bool{
	"ACL": true, "API": true, "ASCII": true, "CPU": true, "CSS": true, "DNS": true, "EOF": true, "GUID": true,
	"HTML": true, "HTTP": true, "HTTPS": true, "ID": true, "IP": true, "JSON": true, "LHS": true, "QPS": true,
	"RAM": true, "RHS": true, "RPC": true, "SLA": true, "SMTP": true, "SQL": true, "SSH": true, "TCP": true,
	"TLS": true, "TTL": true, "UDP": true, "UI": true, "UID": true, "UUID": true, "URI": true, "URL": true,
	"UTF8": true, "VM": true, "XML": true, "XMPP": true, "XSRF": true, "XSS": true,
}

// exported turns a Thrift name into an exported Go name by NamingGo.
func exported(name string) string {
	name = identifier(name)
	var b strings.Builder
	for start := 0; start < len(name); {
		if name[start] == '_' {
			if start+1 == len(name) || !lower(name[start+1]) {
				b.WriteByte('_')
			}
			start++
			continue
		}
		// A word ends before an underscore, or where a capital follows a
		// small letter or a digit.
		end := start + 1
		for end < len(name) && name[end] != '_' && (!upper(name[end]) || upper(name[end-1])) {
			end++
		}
		word := name[start:end]
		if all := strings.ToUpper(word); initialisms[all] {
			word = all
		} else if start == 0 || name[start-1] == '_' {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
		start = end
	}
	made := b.String()
	if made == "" || !upper(made[0]) {
		made = "X" + made
	}
	return made
}

// identifier turns a Thrift name, which may also have dots, into one of
// ASCII letters, digits and underscores.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func upper(c byte) bool { return 'A' <= c && c <= 'Z' }

// parameter turns a Thrift name into the name of a parameter: it begins
// with a small letter and is neither one of Go's words nor one of those in
// taken, to which it is added.
func parameter(name string, taken map[string]bool) string {
	made := exported(name)
	// All capitals at the beginning, except the one that begins the next word.
	n := 0
	for n < len(made) && (upper(made[n]) || '0' <= made[n] && made[n] <= '9') {
		n++
	}
	if n > 1 && n < len(made) && made[n] != '_' {
		n--
	}
	made = strings.ToLower(made[:n]) + made[n:]
	for keyword(made) || predeclared(made) || taken[made] {
		made += "_"
	}
	if taken != nil {
		taken[made] = true
	}
	return made
}

func keyword(name string) bool { return token.IsKeyword(name) }

// predeclared reports whether Go knows the name without a declaration.
func predeclared(name string) bool {
	switch name {
	case "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8",
		"int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"true", "false", "iota", "nil", "append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len",
		"make", "max", "min", "new", "panic", "print", "println", "real", "recover":
		return true
	}
	return false
}

// names are the Go names that one program declares at package level.
type names struct {
	types      map[string]string // structs, enums, typedefs; also the args and results of functions
	consts     map[string]string
	values     map[*model.EnumValue]string
	services   map[string]string
	processors map[string]string // types that are not exported, by the service
	makers     map[string]string // New<T>, by the Thrift name
	parsers    map[string]string // Parse<E>, by the Thrift name
	kitex      map[string]string // what Kitex calls the args and results of functions

	streams map[*model.Function]string // a server's side of those that Kitex streams
	openers map[string][2]string       // the clients of functions that stream and their constructors, by the service

	unimplemented map[string]string // types for handlers to embed, by the service

	// What thriftgo's users know: variables with defaults, functions of enums, constructors of typedefs.
	defaults      map[*model.Field]string
	enums         map[*model.Enum]enumNames
	typedefMakers map[*model.Typedef]string

	naming Naming
	taken  map[string]bool
	all    []goName // for collisions with other files of the package
}

type enumNames struct{ fromString, ptr string }

type goName struct {
	goName string
	what   string // "struct item"
	pos    syntax.Pos
}

// claim takes a free name: want, or want with underscores.
func (n *names) claim(want, what string, pos syntax.Pos) string {
	for n.taken[want] {
		want += "_"
	}
	n.take(want, what, pos)
	return want
}

func (n *names) take(name, what string, pos syntax.Pos) {
	n.taken[name] = true
	n.all = append(n.all, goName{name, what, pos})
}

// namesOf returns the names of a program.
func (g *generator) namesOf(p *model.Program) *names {
	if known := g.names[p]; known != nil {
		return known
	}
	n := &names{
		types: map[string]string{}, consts: map[string]string{}, values: map[*model.EnumValue]string{},
		services: map[string]string{}, processors: map[string]string{}, makers: map[string]string{}, parsers: map[string]string{},
		kitex:         map[string]string{},
		streams:       map[*model.Function]string{},
		openers:       map[string][2]string{},
		unimplemented: map[string]string{},
		defaults:      map[*model.Field]string{}, enums: map[*model.Enum]enumNames{}, typedefMakers: map[*model.Typedef]string{},
		naming: g.naming, taken: map[string]bool{},
	}
	g.names[p] = n
	for _, d := range typesOf(p) {
		n.types[d.name] = n.claim(n.naming.exported(d.name), d.what+" "+d.name, d.pos)
	}
	for _, c := range p.Consts {
		n.consts[c.Name] = n.claim(n.naming.exported(c.Name), "constant "+c.Name, c.Pos)
	}
	for _, e := range p.Enums {
		for _, v := range e.Values {
			n.values[v] = n.claim(n.types[e.Name]+"_"+identifier(v.Name), "value "+e.Name+"."+v.Name, v.Pos)
		}
	}
	for _, s := range p.Services {
		n.service(s)
	}
	for _, s := range p.Structs {
		n.makers[s.Name] = n.claim(n.maker(s.Name), "the constructor of "+s.Name, s.Pos)
	}
	for _, e := range p.Enums {
		n.parsers[e.Name] = n.claim("Parse"+n.types[e.Name], "the parser of "+e.Name, e.Pos)
	}
	for _, s := range p.Services {
		n.forKitex(s)
	}
	n.forThriftgo(p)
	for _, s := range p.Services {
		n.unimplemented[s.Name] = n.claim("Unimplemented"+n.services[s.Name], "the type for handlers of "+s.Name+" to embed", s.Pos)
		if streams(s) {
			name := n.claim(n.services[s.Name]+"Streams", "the client of what streams of "+s.Name, s.Pos)
			n.openers[s.Name] = [2]string{name, n.claim("New"+name, "the constructor of that", s.Pos)}
		}
	}
	return n
}

// maker is the wanted name of a type's constructor: New__T of _T for thriftgo's users, to whom such
// a type isn't exported.
func (n *names) maker(of string) string {
	name := n.types[of]
	if n.naming.setters() && of[0] == '_' {
		name = strings.TrimPrefix(name, "X")
	}
	return "New" + name
}

// forThriftgo finds names for what thriftgo's users know and --kitex writes.
func (n *names) forThriftgo(p *model.Program) {
	for _, e := range p.Enums {
		name, what := n.types[e.Name], " of "+e.Name+" for Kitex"
		n.enums[e] = enumNames{n.claim(name+"FromString", "the parser"+what, e.Pos), n.claim(name+"Ptr", "the pointer"+what, e.Pos)}
	}
	for _, t := range p.Typedefs {
		if t.Type.Kind == model.StructKind {
			n.typedefMakers[t] = n.claim(n.maker(t.Name), "the constructor of "+t.Name+" for Kitex", t.Pos)
		}
	}
	for _, s := range p.Structs {
		fields := fieldNames(s, n.naming)
		for _, x := range s.Fields {
			if canAsk(x) {
				n.defaults[x] = n.claim(n.types[s.Name]+"_"+fields[x]+"_DEFAULT", "the default of "+s.Name+"."+x.Name+" for Kitex", x.Pos)
			}
		}
	}
}

// serviceParts are what is declared for a service, before and after its
// name.
var serviceParts = [][2]string{{"", ""}, {"", "Client"}, {"New", "Client"}, {"New", "Processor"}}

// service finds a name for a service such that the names of everything
// declared for it are free too.
func (n *names) service(s *model.Service) {
	name := n.naming.exported(s.Name)
	for !n.freeService(name) {
		name += "_"
	}
	n.services[s.Name] = name
	n.processors[s.Name] = n.claim(parameter(name+"Processor", nil), "service "+s.Name, s.Pos)
	for _, part := range serviceParts {
		n.take(part[0]+name+part[1], "service "+s.Name, s.Pos)
	}
	for _, fn := range s.Functions {
		for _, end := range []string{"args", "result"} {
			what := "the " + end + " of " + s.Name + "." + fn.Name
			key := s.Name + "_" + fn.Name + "_" + end
			n.types[key] = n.claim(parameter(name+exported(fn.Name)+exported(end), nil), what, fn.Pos)
		}
	}
}

// forKitex finds names for what Kitex wants exported.
func (n *names) forKitex(s *model.Service) {
	for _, fn := range s.Functions {
		for _, end := range []string{"args", "result"} {
			what := "the " + end + " of " + s.Name + "." + fn.Name + " for Kitex"
			key := s.Name + "_" + fn.Name + "_" + end
			n.kitex[key] = n.claim(n.services[s.Name]+n.naming.joined(fn.Name+"_"+end), what, fn.Pos)
			n.makers[key] = n.claim("New"+n.kitex[key], what, fn.Pos)
		}
		if fn.Streams() {
			n.streams[fn] = n.claim(n.services[s.Name]+"_"+identifier(fn.Name)+"Server", "the stream of "+s.Name+"."+fn.Name+" for Kitex", fn.Pos)
		}
	}
}

func (n *names) freeService(name string) bool {
	return !slices.ContainsFunc(serviceParts, func(part [2]string) bool { return n.taken[part[0]+name+part[1]] })
}

// A typeDecl is a definition of a type, of whatever kind.
type typeDecl struct {
	name, what string
	pos        syntax.Pos
}

// typesOf lists the types of a program in the order of the source.
func typesOf(p *model.Program) []typeDecl {
	var list []typeDecl
	for _, s := range p.Structs {
		list = append(list, typeDecl{s.Name, structWord(s), s.Pos})
	}
	for _, e := range p.Enums {
		list = append(list, typeDecl{e.Name, "enum", e.Pos})
	}
	for _, t := range p.Typedefs {
		list = append(list, typeDecl{t.Name, "typedef", t.Pos})
	}
	slices.SortStableFunc(list, func(a, b typeDecl) int { return a.pos.Compare(b.pos) })
	return list
}

func structWord(s *model.Struct) string {
	switch s.Kind {
	case syntax.Union:
		return "union"
	case syntax.Exception:
		return "exception"
	}
	return "struct"
}

// methods are the names that a field can't have, since every struct may have
// methods of that name, whatever the options.
var methods = map[string]bool{
	"AppendBinary": true, "AppendCompact": true, "DecodeBinary": true, "DecodeCompact": true,
	"ThriftDecodeBinary": true, "ThriftDecodeCompact": true, "ThriftAppendBinary": true, "ThriftAppendCompact": true,
	"Equal": true, "Clone": true, "String": true, "Error": true, "Which": true, "UnknownFields": true,
	"BLength": true, "FastRead": true, "FastWrite": true, "FastWriteNocopy": true, "InitDefault": true,
	"Read": true, "Write": true, "TExceptionType": true,
}

// fieldName is the Go name of a field.
func (f *file) fieldName(s *model.Struct, x *model.Field) string {
	known := f.g.fields[s]
	if known == nil {
		known = fieldNames(s, f.g.naming)
		f.g.fields[s] = known
	}
	return known[x]
}

// accessorName is what follows Get, Set and IsSet in the names of a field's methods. Thriftgo makes
// them of the field's own name, also where the field is called otherwise, as for a method's sake.
func (f *file) accessorName(s *model.Struct, x *model.Field) string {
	field, naming := f.fieldName(s, x), f.g.naming
	if !naming.setters() {
		return field
	}
	name := naming.exported(x.Name)
	if x.Name[0] == '_' {
		name = strings.TrimPrefix(name, "X") // there the field isn't exported
	}
	if name == "_FieldMask" || ofFunction(s) && (name == "FirstArgument" || strings.HasSuffix(s.Name, "_result") && (name == "Result" || name == "Success")) {
		return field // whose methods there are
	}
	for _, y := range s.Fields {
		other := f.fieldName(s, y)
		if y != x && (other == name || naming.exported(y.Name) == name || other == "Get"+name || other == "Set"+name || other == "IsSet"+name) {
			return field
		}
	}
	return name
}

// fieldNames finds names that are neither each other's nor a method's.
func fieldNames(s *model.Struct, naming Naming) map[*model.Field]string {
	made := make(map[*model.Field]string, len(s.Fields))
	taken := make(map[string]bool, len(s.Fields))
	method := func(name string) bool {
		switch {
		case naming != NamingKitex:
		case name == "Error" || name == "TExceptionType":
			return s.Kind == syntax.Exception
		case name == "Which":
			return s.Kind == syntax.Union
		}
		return methods[name]
	}
	free := func(name string) string {
		for method(name) || taken[name] || (name == "FirstArgument" || name == "ShardKey" || name == "MayRepeat" || name == "Result" && strings.HasSuffix(s.Name, "_result")) && ofFunction(s) {
			name += "_"
		}
		return name
	}
	for _, x := range s.Fields {
		made[x] = free(naming.exported(x.Name))
		taken[made[x]] = true
	}
	prefixes := []string{"Get"}
	if naming.setters() {
		prefixes = []string{"Get", "Set", "IsSet"}
	}
	accessor := func(name string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool {
			other, is := strings.CutPrefix(name, prefix)
			return is && taken[other]
		})
	}
	// A field can't have the name of another's getter. Its new name may
	// collide again; every turn makes it longer than all getters but its
	// own.
	for changed := true; changed; {
		changed = false
		for _, x := range s.Fields {
			if accessor(made[x]) {
				delete(taken, made[x])
				made[x] = free(made[x] + "_")
				taken[made[x]] = true
				changed = true
			}
		}
	}
	return made
}
