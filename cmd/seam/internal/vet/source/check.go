package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// Config says how Check checks.
type Config struct {
	Importer   types.Importer
	Sizes      types.Sizes
	Go         string // the version of the language, or ""
	Signatures bool   // leave the bodies of functions out
	Fake       bool   // there is no _cgo_gotypes.go among the files: what is C's has no type
}

// Check gives types to the files of a package: those with import "C" as they were written,
// with the file of cgo's declarations beside them. It goes on after errors and returns them.
func Check(path string, fset *token.FileSet, files []*ast.File, c Config) (*types.Package, *types.Info, []error) {
	var errs []error
	conf := types.Config{
		Importer: c.Importer, Sizes: c.Sizes, GoVersion: c.Go, IgnoreFuncBodies: c.Signatures, FakeImportC: c.Fake,
		Error: func(err error) { errs = append(errs, err) },
	}
	if !c.Fake {
		useCgo(&conf)
	}
	info := &types.Info{}
	if !c.Signatures {
		info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
		}
	}
	checked, dropped := callable(files, fset)
	pkg, err := conf.Check(path, fset, checked, info)
	if err != nil && len(errs) == 0 {
		errs = append(errs, err)
	}
	return pkg, info, slices.DeleteFunc(errs, func(err error) bool { return dropped(err) || forCgo(err) })
}

// forCgo reports whether an error is that a variable isn't used which is there for what cgo
// writes: _cgoCheckPointer, for one, is declared by those who don't want the check.
func forCgo(err error) bool {
	e, ok := err.(types.Error)
	return ok && strings.HasPrefix(e.Msg, "declared and not used: _cgo")
}

// useCgo sets the field of types.Config that makes C.f stand for _Cfunc_f. It is not
// exported; golang.org/x/tools sets it in the same way for gopls. Where a later Go has it
// no more, what is C's has no type.
func useCgo(conf *types.Config) {
	f := reflect.ValueOf(conf).Elem().FieldByName("go115UsesCgo")
	if !f.IsValid() || f.Kind() != reflect.Bool {
		conf.FakeImportC = true
		return
	}
	*(*bool)(f.Addr().UnsafePointer()) = true
}
