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

// programs are the files that a prefix of names stands for, the last include first.
func (f *file) programs(prefix string) (list []*file) {
	for _, g := range slices.Backward(f.includes) {
		if g.prog.Name == prefix {
			list = append(list, g)
		}
	}
	if prefix == f.prog.Name {
		list = append(list, f)
	}
	return list
}

// ambiguous reports a name that two included files of one name have. Compilers disagree on
// which one it is.
func (f *file) ambiguous(name string, last, before *file) {
	if last == f || before == f || f.twice[name] {
		return
	}
	if f.twice == nil {
		f.twice = map[string]bool{}
	}
	f.twice[name] = true
	f.errorf(f.includeAt[last], "%s is in %s and in %s, which are both called %s here: Apache's compiler takes the second, thriftgo the first; rename one of the files", clip(name), before.prog.Path, last.prog.Path, last.prog.Name)
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
	var in *file
	for _, g := range f.programs(prefix) {
		switch s := g.symbols[base]; {
		case s != nil && sym == nil:
			sym, in = s, g
		case s != nil:
			f.ambiguous(name, in, g)
		}
		quiet = quiet || g.broken
	}
	return sym, quiet || f.missing[prefix]
}
