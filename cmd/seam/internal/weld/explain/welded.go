package explain

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
)

// welded shows what the function becomes when it is a leaf, or what else the plan makes of it.
func (f *function) welded() Section {
	s := Section{Title: "What it becomes when welded"}
	if why := f.unweldable(); why != "" {
		s.add(prose("It can't be welded: " + why + "."))
		return s
	}
	if f.isBounded() {
		return f.bounded()
	}
	if f.isCoro() {
		return f.coro()
	}
	if f.isParked() {
		return f.parked()
	}
	if f.line != nil && f.line.Mode == plan.Cgo {
		why := ""
		if f.line.Comment != "" {
			why = " (" + f.line.Comment + ")"
		}
		s.add(prose("The plan calls it by cgo" + why + ". With a leaf line, it would become this:"))
	}
	gen, err := f.weld()
	if err != nil {
		s.add(prose("It can't be welded: " + err.Error() + "."))
		return s
	}
	src := gen.Gotypes.Bytes()
	used := map[string]bool{}
	for _, stub := range f.stubs {
		if code := weldedStub(src, stub.GoName); code != "" {
			s.add(Block{Code: annotate("_cgo_gotypes.go", code, weldedStubRemarks, used)})
		}
		file, w := gen.Wrapper(stub)
		remarks := weldedWrapperRemarks
		if !strings.Contains(file.Text(w), "_cgo_topofstack") {
			remarks = []remark{{remarks[0].match, "cgo's wrapper, under another name and static, so that the C compiler can inline it into its only callers."}, remarks[1]}
			// A void function has no result to store, so cgo doesn't ask for the stack.
		}
		if code := weldedWrapper(file.Bytes(), w.Symbol); code != "" {
			s.add(Block{Code: annotate(file.Name, code, remarks, used)})
		}
	}
	s.add(f.leafWay())
	s.add(prose("While a leaf runs, the goroutine's stack can't move and the garbage collector can't finish, so C may read the caller's variables where they are: no argument escapes."))
	s.add(Block{Table: &Table{
		Head: []string{"it must not", "because"}, Right: []bool{false, false}, Code: []bool{false, false}, Wide: 1,
		Rows: [][]string{
			{"call Go", "The program ends with a message that names the function."},
			{"wait", "For a lock, a descriptor or a time: meanwhile Go can't run anything else on this P."},
			{"run long", "When the garbage collector stops the world it waits for this function, and so does every goroutine. The guard sends it back to cgo if it exceeds its budget too often."},
		},
	}})
	return s
}

// weld rewrites this function in what cgo wrote. The files stay as they are.
func (f *function) weld() (*cgofile.Generated, error) {
	gen, err := cgofile.Load(f.objdir)
	if err != nil {
		return nil, err
	}
	e := plan.Entry{Mode: plan.Leaf, Package: f.ImportPath, Func: f.Name, Budget: plan.DefaultBudget, Allow: plan.DefaultAllow}
	if f.line != nil && f.line.Wrapped() {
		e.Mode, e.Stack = f.line.Mode, f.line.Stack
		e.Budget, e.Allow, e.Closed = f.line.Budget, f.line.Allow, f.line.Closed
	}
	l := rewrite.Leaves{Plan: &plan.Plan{Name: "seam.plan", Entries: []plan.Entry{e}}}
	if f.isBounded() {
		l.Plan.Threads = f.Plan.Threads
		l.Plan.Entries = nil
		if f.line != nil {
			l.Plan.Entries = []plan.Entry{*f.line}
		}
	}
	p := &cgofile.Package{Generated: gen, ImportPath: f.ImportPath}
	return gen, p.Run(l.Passes())
}

// weldedStub cuts a stub with its slot out of a welded _cgo_gotypes.go.
func weldedStub(src []byte, name string) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "_cgo_gotypes.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	for i, decl := range file.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok || d.Name.Name != name {
			continue
		}
		from := offset(d.Pos())
		if d.Doc != nil {
			from = offset(d.Doc.Pos())
		}
		if slot, ok := file.Decls[max(0, i-1)].(*ast.GenDecl); ok && slot.Doc != nil {
			from = offset(slot.Doc.Pos())
		}
		return string(src[from:offset(d.End())])
	}
	return ""
}

// weldedWrapper cuts a wrapper and the line behind it out of a welded C file.
func weldedWrapper(src []byte, symbol string) string {
	body := strings.Replace(symbol, "_cgo_", "_seam_", 1)
	name := bytes.Index(src, []byte(body+"(void *v)"))
	macro := bytes.Index(src, []byte("("+body+"_slot, "))
	if name < 0 || macro < name {
		return ""
	}
	from := bytes.LastIndex(src[:name], []byte("static "))
	end := bytes.IndexByte(src[macro:], '\n')
	if from < 0 || end < 0 {
		return ""
	}
	return string(src[from : macro+end])
}
