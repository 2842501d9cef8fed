// Package needlesscopy finds copies of C's bytes, and for C, that are only looked at.
package needlesscopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "needless-copy",
	Title:    "a copy of C's bytes, or for C, that is only read",
	Severity: rule.Note,
	Since:    "0.9",
	Doc: `C.GoString and C.GoBytes allocate, and copy. Where the result is compared, measured or
parsed at once, a view of C's memory does, without either: unsafe.String, or mem.View of Seam.

Before:

	if C.GoString(C.kind(x)) == "table" {

After:

	k := C.kind(x)
	if unsafe.String((*byte)(unsafe.Pointer(k)), C.strlen(k)) == "table" {

C.CString and C.CBytes take memory, copy, and have to be freed. A C function that takes a length and
only reads needs neither:

	cs := C.CString(s)
	C.hash(cs, C.size_t(len(s)))
	C.free(unsafe.Pointer(cs))

After:

	C.hash((*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s)))

That is said where the body of the C function is seen to keep, free, change and return nothing of
it, and to give it to no function that looks for the 0 at its end; whether it does so itself isn't.

It matters in loops and hot functions; elsewhere the copy is easier to read. What it costs on
this machine: seam lab payload.`,
	Run: run,
}

func run(p *rule.Pass) {
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !flow.InLoop(p.Package, call) {
				return true
			}
			switch name, _ := p.CCall(call); name {
			case "GoString", "GoStringN", "GoBytes":
				if what := onlyRead(p, call); what != "" {
					p.Reportf(call, rule.Note, "C.%s copies in every round of a loop what is only %s: a view of C's memory does", name, what)
				}
			case "CString", "CBytes":
				if reader, view := onlyReadByC(p, call, name); reader != "" {
					p.Reportf(call, rule.Note, "C.%s copies in every round of a loop what C.%s only reads, for as long as it is told: %s does, without a copy to free", name, reader, view)
				}
			}
			return true
		})
	}
}

// onlyRead says what is done with a copy that nothing keeps, also by way of a variable.
func onlyRead(p *rule.Pass, call *ast.CallExpr) (what string) {
	fn := flow.Function(p.Package, call)
	u := flow.UseOf(p.Package, call)
	if u.Kind != flow.Moved || fn == nil {
		return read(p, call)
	}
	only, last := true, call.End()
	ast.Inspect(flow.Body(fn), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.Info.ObjectOf(id) == u.To && p.Parent(id) != p.Parent(call) {
			what = read(p, id)
			only, last = only && what != "", max(last, id.Pos())
		}
		return only
	})
	if !only || callsC(p, fn, call.End(), last) {
		return ""
	}
	return what
}

// callsC reports whether C is called between two places: it may change or free what a view shows.
func callsC(p *rule.Pass, fn ast.Node, from, to token.Pos) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && from <= call.Pos() && call.Pos() < to {
			_, c := p.CCall(call)
			found = found || c
		}
		return !found
	})
	return found
}

// read says what an expression's value is used for, if it is only looked at.
func read(p *rule.Pass, call ast.Expr) string {
	switch x := p.Parent(call).(type) {
	case *ast.ParenExpr:
		return read(p, x)
	case *ast.SliceExpr:
		if x.X == call {
			return read(p, x)
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			return "compared"
		}
	case *ast.CallExpr:
		return readBy(p, x, call)
	case *ast.SwitchStmt:
		if x.Tag == call {
			return "compared"
		}
	case *ast.RangeStmt:
		if x.X == call {
			return "looked at"
		}
	case *ast.IndexExpr:
		if x.X == call {
			return element(p, x)
		}
		if a, stored := p.Parent(x).(*ast.AssignStmt); x.Index == call && !(stored && slices.Contains(a.Lhs, ast.Expr(x))) {
			return "looked up"
		}
	}
	return ""
}

// element says that an element is looked at, if it isn't changed and its address isn't taken.
func element(p *rule.Pass, x *ast.IndexExpr) string {
	switch parent := p.Parent(x).(type) {
	case *ast.AssignStmt:
		if slices.Contains(parent.Lhs, ast.Expr(x)) {
			return ""
		}
	case *ast.UnaryExpr:
		if parent.Op == token.AND {
			return ""
		}
	case *ast.IncDecStmt:
		return ""
	}
	return "looked at"
}

// readBy says what a function does with an argument that it only looks at.
func readBy(p *rule.Pass, call *ast.CallExpr, arg ast.Expr) string {
	switch {
	case p.IsBuiltin(call, "len"):
		return "measured"
	case p.IsBuiltin(call, "copy"), p.IsBuiltin(call, "append") && call.Ellipsis.IsValid():
		if slices.Index(call.Args, arg) == 1 {
			return "copied again"
		}
		return ""
	case p.IsConversion(call):
		// string(b), which copies unless it is compared at once: []byte(s) may be changed.
		if b, ok := typeOf(p, call).Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
			return ""
		}
		if _, bytes := typeOf(p, arg).Underlying().(*types.Slice); bytes {
			return "copied again"
		}
		return ""
	}
	f := p.Callee(call)
	if f == nil || f.Pkg() == nil {
		return ""
	}
	name := f.Name()
	switch f.Pkg().Path() {
	case "strconv":
		switch name {
		case "Atoi", "ParseInt", "ParseUint", "ParseFloat", "ParseBool":
			return "parsed"
		}
	case "strings", "bytes":
		switch name {
		case "HasPrefix", "HasSuffix", "Contains", "ContainsRune", "ContainsAny", "EqualFold", "Equal", "Compare":
			return "compared"
		case "Index", "IndexByte", "IndexAny", "IndexRune", "LastIndex", "LastIndexByte", "Count":
			return "searched"
		}
	case "encoding/binary":
		switch name {
		case "Uint16", "Uint32", "Uint64", "Uvarint", "Varint":
			return "parsed"
		}
	case "hash/crc32", "hash/crc64", "hash/adler32", "crypto/sha256", "crypto/sha1", "crypto/md5", "crypto/sha512":
		if strings.HasPrefix(name, "Checksum") || strings.HasPrefix(name, "Sum") || name == "Update" {
			return "summed up"
		}
	case "unicode/utf8":
		if name == "Valid" || name == "ValidString" || strings.HasPrefix(name, "RuneCount") {
			return "measured"
		}
	}
	return ""
}

func typeOf(p *rule.Pass, e ast.Expr) types.Type {
	if t := p.Info.TypeOf(e); t != nil {
		return types.Unalias(t)
	}
	return types.Typ[types.Invalid]
}

// onlyReadByC is the C function that reads a copy made for C, if nothing but such functions and
// C.free get it, and what in Go does as well.
func onlyReadByC(p *rule.Pass, call *ast.CallExpr, name string) (reader, view string) {
	fn := flow.Function(p.Package, call)
	u := flow.UseOf(p.Package, call)
	if u.Kind != flow.Moved || fn == nil || len(call.Args) != 1 {
		return "", ""
	}
	original := ast.Unparen(call.Args[0])
	if p.Variable(original) == nil { // it would have to be made twice
		return "", ""
	}
	for _, use := range flow.Follow(p.Package, fn, u.To).InOrder() {
		switch {
		case use.Kind == flow.Moved, use.Kind == flow.Changed && p.Parent(use.At) == p.Parent(call):
		case use.Kind == flow.ToC && use.Name == "free":
		case use.Kind == flow.ToC && reads(p, use, original):
			reader = use.Name
		default:
			return "", ""
		}
	}
	if name == "CBytes" {
		return reader, "unsafe.SliceData(" + source.Text(original) + ")"
	}
	return reader, "unsafe.StringData(" + source.Text(original) + ")"
}

// reads reports whether a C function is given the length of the original too, and is seen to do
// no more with the copy than look at it.
func reads(p *rule.Pass, u flow.Use, original ast.Expr) bool {
	fate := p.C.Fate(u.Name, u.Arg)
	if f := p.C.Func(u.Name); f == nil || !f.Defined || fate != (csource.Fate{}) {
		return false
	}
	return slices.ContainsFunc(u.Call.Args, func(a ast.Expr) bool {
		l, ok := flow.Strip(p.Package, a).(*ast.CallExpr)
		return ok && p.IsBuiltin(l, "len") && source.Text(l.Args[0]) == source.Text(original)
	})
}
