package gen

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// What --setters and --sql ask for, Kitex's code has in any case: see kitexfields.go.

// requestedSetters writes the methods SetX and IsSetX, if they are asked for.
func (f *file) requestedSetters(s *model.Struct, name string) {
	if !f.opt.Setters || f.opt.Kitex {
		return
	}
	fields := map[string]bool{}
	for _, x := range s.Fields {
		fields[f.fieldName(s, x)] = true
	}
	for _, x := range s.Fields {
		for _, prefix := range []string{"Set", "IsSet"} {
			if of, ok := strings.CutPrefix(f.fieldName(s, x), prefix); ok && fields[of] && !f.g.naming.setters() {
				panic(unsupported(fmt.Sprintf("%s:%d:%d: field %s of %s has the name of a method that --setters writes for another: rename it, or choose --naming thriftgo, which does", s.Program.Path, x.Pos.Line, x.Pos.Col, x.Name, s.Name)))
			}
		}
	}
	f.setters(s, s.Fields, name)
}

// requestedSQL writes the methods Scan and Value of an enum, if they are asked for.
func (f *file) requestedSQL(e *model.Enum) {
	if f.opt.SQL && !f.opt.Kitex {
		f.enumSQL(f.enumName(e))
	}
}

// sqlJSONPath is the run-time of the methods Scan and Value of structs.
const sqlJSONPath = "github.com/seamgo/seam/thrift/sqljson"

// structSQL writes the methods Scan and Value of a struct that has the annotation seam.sql.
func (f *file) structSQL(s *model.Struct, name string) {
	kind, asked := s.Annotations["seam.sql"]
	if !asked {
		return
	}
	where := fmt.Sprintf("%s:%d:%d: ", s.Program.Path, s.Pos.Line, s.Pos.Col)
	if kind != "json" {
		panic(unsupported(fmt.Sprintf("%sseam.sql = %q of %s: the only kind of column is json", where, kind, s.Name)))
	}
	for _, x := range s.Fields {
		if field := f.fieldName(s, x); field == "Scan" || field == "Value" {
			panic(unsupported(fmt.Sprintf("%s:%d:%d: field %s of %s has the name of a method that seam.sql asks for: rename it, or take the annotation away", s.Program.Path, x.Pos.Line, x.Pos.Col, x.Name, s.Name)))
		}
	}
	if path, key := noJSON(s, map[*model.Struct]bool{}); key != nil {
		panic(unsupported(fmt.Sprintf("%sseam.sql = \"json\" of %s: encoding/json can't write maps whose keys are %s, as %s has: take the annotation away, or make the keys strings or integers", where, s.Name, key, s.Name+path)))
	}
	f.Apart("// Scan reads the struct from a column of a database that has its JSON. NULL is a struct")
	f.P("// with its defaults; a column that holds something else leaves p as it is.")
	f.P("func (p *", name, ") Scan(value any) error {")
	f.P("read := ", f.newName(s), "()")
	f.P("if value != nil {")
	f.Block("if err := "+f.use(sqlJSONPath)+".Scan(read, value); err != nil", "return err")
	f.P("}")
	f.P("*p = *read")
	f.P("return nil")
	f.P("}")
	f.Apart("// Value is the struct's JSON for a column of a database, or NULL.")
	f.P("func (p *", name, ") Value() (", f.useAs("database/sql/driver", "driver"), ".Value, error) {")
	f.Block("if p == nil", "return nil, nil")
	f.P("return ", f.use(sqlJSONPath), ".Value(p)")
	f.P("}")
}

// noJSON finds the key of a map, in a struct or in what it has, that encoding/json has no text for,
// and the path to it.
func noJSON(s *model.Struct, seen map[*model.Struct]bool) (path string, key *model.Type) {
	if seen[s] {
		return "", nil
	}
	seen[s] = true
	for _, x := range s.Fields {
		for t := x.Type; t != nil; t = t.Elem {
			if t.Kind == model.Map && (t.Key.Kind == model.Bool || t.Key.Kind == model.Double) {
				return "." + x.Name, t.Key
			}
			for _, in := range []*model.Type{t, t.Key} {
				if in != nil && in.Kind == model.StructKind {
					if path, key := noJSON(in.Struct, seen); key != nil {
						return "." + x.Name + path, key
					}
				}
			}
		}
	}
	return "", nil
}
