package model

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A symbol is a type or a service by its name. One of the pointers is set.
type symbol struct {
	pos     syntax.Pos
	typedef *typedef
	enum    *Enum
	strct   *Struct
	service *Service
}

// what is the kind of definition, with its article.
func (s *symbol) what() string {
	switch {
	case s.typedef != nil:
		return "a typedef"
	case s.enum != nil:
		return "an enum"
	case s.service != nil:
		return "a service"
	case s.strct.Kind == syntax.Exception:
		return "an exception"
	}
	return "a " + structWord(s.strct.Kind)
}

func structWord(k syntax.StructKind) string {
	switch k {
	case syntax.Union:
		return "union"
	case syntax.Exception:
		return "exception"
	}
	return "struct"
}

// program finds the file that a prefix of names stands for. Of two with one
// name the later include counts, as in Apache's compiler.
func (f *file) program(prefix string) *file {
	for _, g := range slices.Backward(f.includes) {
		if g.prog.Name == prefix {
			return g
		}
	}
	if prefix == f.prog.Name {
		return f
	}
	return nil
}

// symbol finds a type or a service. The second result says that a name that
// was not found needs no message, because there has been one.
func (f *file) symbol(name string) (sym *symbol, quiet bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		sym = f.symbols[name]
		return sym, f.broken
	}
	prefix, base := name[:dot], name[dot+1:]
	// Names of files count from the last include down, then this file's own.
	for _, g := range append([]*file{f}, f.includes...) {
		if g.prog.Name != prefix {
			continue
		}
		if s := g.symbols[base]; s != nil {
			sym = s
		}
		quiet = quiet || g.broken
	}
	return sym, quiet || f.missing[prefix]
}
