// Package overlay turns on the stack tracer of the Go runtime without another Go: it
// makes an overlay (go build -overlay) that gives package runtime a copy of its own
// stack.go with stackDebug = 1 and one file more.
//
// The copy is the file of the Go in use, changed at a few places that are found in its
// syntax tree, not by line numbers: the constant, and the blocks that print. What a block
// prints is left as it is, and sent to the log instead of standard error. A Go whose
// file lacks one of the places is refused with an error that names it.
package overlay

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

// LogVariable is the environment variable that tells a traced program where to write
// its log: a file, which is appended to, or a named pipe.
const LogVariable = "SEAM_STACK_LOG"

// Mark is a function that a program has if the tracer was built into it.
const Mark = "runtime.seamOpen"

// runtimeFile is added to package runtime, in which alone it compiles.
//
//go:embed _runtime.go
var runtimeFile []byte

// An event is one of the runtime's prints that the log can't do without.
type event struct {
	prefix string // of the first string that it prints
	hold   bool   // the event goes on: its lines are written together
	end    bool   // it ends one that has been held
}

// The order is that of the matching: "stackalloc" is no prefix of another.
var events = []event{
	{prefix: "runtime: newstack sp=", hold: true},
	{prefix: "stackalloc ", hold: true},
	{prefix: "  allocated ", end: true},
	{prefix: "copystack gp="},
	{prefix: "stack grow done", end: true},
	{prefix: "shrinking stack "},
	{prefix: "stackcacherefill order="},
	{prefix: "stackcacherelease order="},
	{prefix: "stackcache clear"},
	{prefix: "stackfree"},
}

// Instrument changes the text of runtime/stack.go.
func Instrument(src []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "stack.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("not Go: %w", err)
	}
	in := instrumenter{src: src, offset: func(p token.Pos) int { return set.Position(p).Offset }, seen: map[string]bool{}}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			in.constant(decl)
		case *ast.FuncDecl:
			if decl.Body != nil {
				in.function(decl)
			}
		}
	}
	var missing []string
	if !in.constantSeen {
		missing = append(missing, "the constant stackDebug = 0")
	}
	for _, e := range events {
		if !in.seen[e.prefix] {
			missing = append(missing, fmt.Sprintf("the line that prints %q while stackDebug is on", e.prefix))
		}
	}
	if !in.preemptSeen {
		missing = append(missing, "the variable preempt of newstack")
	}
	if !in.overflowSeen {
		missing = append(missing, "newstack's comparison of newsize with maxstacksize")
	}
	if len(missing) > 0 {
		return nil, errors.New("it lacks " + strings.Join(missing, ", and "))
	}
	// The changes are on single lines, so positions in tracebacks stay those of the original.
	return in.edits.Apply(in.src), nil
}

// An instrumenter collects the changes to one file.
type instrumenter struct {
	src          []byte
	offset       func(token.Pos) int
	edits        textedit.Edits
	constantSeen bool
	preemptSeen  bool
	overflowSeen bool
	seen         map[string]bool // prefixes of events
}

func (in *instrumenter) replace(from, to token.Pos, text string) {
	in.edits.Replace(in.offset(from), in.offset(to), text)
}

// text is a node's own, on one line.
func (in *instrumenter) text(n ast.Node) string {
	return strings.ReplaceAll(string(in.src[in.offset(n.Pos()):in.offset(n.End())]), "\n", " ")
}

func (in *instrumenter) insert(at token.Pos, text string) { in.replace(at, at, text) }

// constant turns the tracer on.
func (in *instrumenter) constant(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || decl.Tok != token.CONST || len(v.Names) != 1 || v.Names[0].Name != "stackDebug" || len(v.Values) != 1 {
			continue
		}
		if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Value == "0" {
			in.replace(lit.Pos(), lit.End(), "1")
			in.constantSeen = true
		}
	}
}

// function changes the blocks of a function that print.
func (in *instrumenter) function(decl *ast.FuncDecl) {
	newstack := decl.Name.Name == "newstack"
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && newstack && n.Tok == token.DEFINE && isName(n.Lhs[0], "preempt") {
				in.preemptSeen = true
			}
		case *ast.IfStmt:
			switch {
			case tracing(n.Cond):
				in.block(n.Body, or(n.Cond))
				return false
			case newstack && mentions(n.Cond, "newsize") && mentions(n.Cond, "maxstacksize"):
				// The program dies of its stack here; what led to it is in the buffer.
				in.insert(n.Body.Lbrace+1, " seamOverflow();")
				in.overflowSeen = true
			}
		}
		return true
	})
}

// block lets the prints of a block go to the log. If there is another reason to print than
// that stackDebug is on, they go to standard error where there is no log.
func (in *instrumenter) block(body *ast.BlockStmt, reason ast.Expr) {
	for _, stmt := range body.List {
		expr, ok := stmt.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := expr.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		if isName(call.Fun, "memclrNoHeapPointers") {
			// It clears freed stacks to find bugs of the runtime. That would touch
			// every page of them.
			in.replace(stmt.Pos(), stmt.End(), "")
			continue
		}
		if !isName(call.Fun, "print") && !isName(call.Fun, "println") || len(call.Args) == 0 {
			continue
		}
		text := ""
		if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ = strconv.Unquote(lit.Value)
		}
		at := slices.IndexFunc(events, func(e event) bool { return strings.HasPrefix(text, e.prefix) })
		hold, release, more := "false", "false", ""
		if at >= 0 {
			e := events[at]
			in.seen[e.prefix] = true
			if e.hold {
				hold = "true"
			}
			if e.end {
				release = "true"
			}
			switch text {
			case "runtime: newstack sp=":
				hold = "!preempt" // a preemption does not come back here
				more = "; if !preempt { seamCallers(gp) }"
				fallthrough
			case "copystack gp=":
				last := call.Args[len(call.Args)-1]
				in.insert(last.End(), `, " goid=", gp.goid, " entry=", hex(gp.startpc), " go=", hex(gp.gopc), "\n"`)
			}
		}
		in.insert(stmt.Pos(), "if seamBegin("+hold+") { ")
		end := more + "; seamEnd(" + release + ") }"
		if reason != nil && !strings.Contains(in.text(reason)+in.text(stmt), "//") {
			end += " else if " + in.text(reason) + " { " + in.text(stmt) + " }"
		}
		in.insert(stmt.End(), end)
	}
}

// tracing reports whether a condition is true while stackDebug is 1: stackDebug >= 1,
// stackDebug > 0, or one of them "or" something.
func tracing(cond ast.Expr) bool {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == token.LOR {
		return tracing(b.X) || tracing(b.Y)
	}
	lit, ok := b.Y.(*ast.BasicLit)
	if !ok || !isName(b.X, "stackDebug") {
		return false
	}
	return b.Op == token.GEQ && lit.Value == "1" || b.Op == token.GTR && lit.Value == "0"
}

// or is what such a condition has besides, nil if nothing.
func or(cond ast.Expr) ast.Expr {
	if b, ok := cond.(*ast.BinaryExpr); ok && b.Op == token.LOR {
		return b.Y
	}
	return nil
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func mentions(e ast.Expr, name string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
