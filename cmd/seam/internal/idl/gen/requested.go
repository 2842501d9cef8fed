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
	f.setters(s, name)
}

// requestedSQL writes the methods Scan and Value of an enum, if they are asked for.
func (f *file) requestedSQL(e *model.Enum) {
	if f.opt.SQL && !f.opt.Kitex {
		f.enumSQL(f.enumName(e))
	}
}
