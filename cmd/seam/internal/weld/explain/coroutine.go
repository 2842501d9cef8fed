package explain

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A package that seam bind has written with cgo may call C functions as coroutines: cgo sees their addresses
// alone, and what there is to know stands in the source.

// A coroutineFunction is a C function of such a package.
type coroutineFunction struct {
	c, variable, mode, stack string
	call                     *ast.FuncDecl // makes the call
	calls                    []string      // the exported functions that lead there
}

// modeOf is bind.seam's word for the runner that a function has in the source.
var modeOf = map[string]string{"locked": "coro", "parked": "park", "inSession": "session"}

var coroutineWays = map[string]string{
	"coro":    "C runs as a coroutine on a stack of its own, locked to the thread that the goroutine is on. When it calls Go, it switches to the goroutine, and back.",
	"park":    "C runs as a coroutine of the package's executor. While it waits in a system call that package netio knows, another coroutine has the thread, and the goroutine waits without one.",
	"session": "C runs as a coroutine on one thread, which is the same for all calls of the package in this mode.",
}

// coroutineFunctions reads the functions of a package that it calls as coroutines; none if seam bind hasn't written it.
func coroutineFunctions(p gotool.Package) (list []*coroutineFunction, fset *token.FileSet, err error) {
	files, fset, err := writtenByBind(p.Dir, p.CgoFiles)
	if err != nil {
		return nil, nil, err
	}
	funcs := funcsOf(files)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool { // var x = coroutine{"name", address, parked, stack}
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
				return true
			}
			l, ok := v.Values[0].(*ast.CompositeLit)
			if !ok || len(l.Elts) != 4 {
				return true
			}
			t, isName := l.Type.(*ast.Ident)
			c, isText := l.Elts[0].(*ast.BasicLit)
			runner, isRunner := l.Elts[2].(*ast.Ident)
			stack, isNumber := l.Elts[3].(*ast.BasicLit)
			if !isName || t.Name != "coroutine" || !isText || !isRunner || !isNumber || modeOf[runner.Name] == "" {
				return true
			}
			f := &coroutineFunction{variable: v.Names[0].Name, mode: modeOf[runner.Name], stack: stack.Value}
			f.c, _ = strconv.Unquote(c.Value)
			list = append(list, f)
			return true
		})
	}
	for _, f := range list {
		for _, d := range funcs {
			if mentions(d, f.variable) {
				f.call = d
			}
		}
		for _, d := range funcs {
			if f.call != nil && d != f.call && ast.IsExported(d.Name.Name) && mentions(d, f.call.Name.Name) {
				f.calls = append(f.calls, goNameOf(d))
			}
		}
	}
	// One that nothing calls is no function of bind's, as it is written now.
	list = slices.DeleteFunc(list, func(f *coroutineFunction) bool { return f.call == nil || len(f.calls) == 0 })
	return list, fset, nil
}

// mentions reports whether a function has the name in its body.
func mentions(d *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

const coroutineModes = "The word before a function in bind.seam is its mode (leaf, cgo, offload:N, coro, park, session); seam bind writes the package anew. A context may have another runner: WithRunner."

// coroutineTable lists the functions of a package that run as coroutines.
func coroutineTable(p gotool.Package, list []*coroutineFunction) Section {
	t := &Table{Head: []string{"C function", "mode", "called by"}, Right: make([]bool, 3), Code: []bool{true, false, true}, Wide: 2}
	for _, f := range list {
		t.Rows = append(t.Rows, []string{f.c, f.mode, strings.Join(f.calls, ", ")})
	}
	s := Section{Title: "As coroutines"}
	s.add(prose(fmt.Sprintf("The package was written by seam bind. It calls %s as coroutines of package coro.", quantity.Plural(len(list), "C function"))),
		Block{Table: t}, note("How a call travels: seam explain "+p.ImportPath+"."+list[0].c))
	return s
}

// explainCoroutine explains one of the functions, or returns nil where the name is none of theirs.
func explainCoroutine(list []*coroutineFunction, fset *token.FileSet, name string) (*Doc, error) {
	i := slices.IndexFunc(list, func(f *coroutineFunction) bool { return f.c == name || slices.Contains(f.calls, name) })
	if i < 0 {
		return nil, nil
	}
	f := list[i]
	d := &Doc{Title: "How a call of " + f.c + " travels",
		Lead: fmt.Sprintf("%s, mode %s, through cgo and package coro. Go code calls %s.", f.c, f.mode, strings.Join(f.calls, " or "))}
	var b strings.Builder
	if err := format.Node(&b, fset, f.call); err != nil {
		return nil, err
	}
	code := &Code{}
	for line := range strings.Lines(b.String()) {
		code.Lines = append(code.Lines, Line{Text: strings.TrimRight(line, "\n")})
	}
	s := Section{Title: "The Go function"}
	s.add(prose("It puts C's arguments into a struct in Go's heap, whose address is all that the coroutine gets. A C function that seam bind has written takes them out and puts the result in."), Block{Code: code})
	call := Section{Title: "The call"}
	call.add(prose(coroutineWays[f.mode]))
	if f.stack != "0" {
		call.add(prose("Its stack has " + f.stack + " bytes."))
	}
	call.add(note(coroutineModes))
	d.Sections = []Section{s, call}
	return d, nil
}
