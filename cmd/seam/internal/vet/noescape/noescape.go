// Package noescape finds C functions that could have #cgo noescape and nocallback, and those
// that have them wrongly.
package noescape

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/vet/flow"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	Name:     "noescape",
	Title:    "#cgo noescape and nocallback that the C body proves right and that are missing, or that are there and wrong",
	Severity: rule.Error,
	Since:    "0.9",
	Doc: `What a pointer that goes to C leads to is allocated on the heap, for C might keep it. With
#cgo noescape and #cgo nocallback it stays on the stack; the first does nothing without the
second. Nobody checks noescape: if C keeps the pointer, it leads to a stack that moves. If C
comes to Go in spite of nocallback, the program ends.

Before:

	// static int parse(const char *s, int *end) { … }
	import "C"

	var end C.int // on the heap, at every call
	C.parse(s, &end)

After:

	// #cgo noescape parse
	// #cgo nocallback parse
	// static int parse(const char *s, int *end) { … }
	import "C"

A function is named if its body, and all that it calls, is seen to keep no pointer and to call
nothing that could be Go, where a call passes the address of a local variable, from Go 1.24 on.`,
	Run: run,
}

func run(p *rule.Pass) {
	marked := directives(p)
	exports := p.Exports()
	for _, m := range marked {
		wrong(p, m, exports)
	}
	if v := p.Types.GoVersion(); v != "" && version.Compare(v, "go1.24") >= 0 {
		missing(p, marked)
	}
}

// mark is one #cgo line.
type mark struct {
	span
	escape bool // noescape, or else nocallback
	name   string
	start  string // what stands before it in its line
}

// span is a part of a comment.
type span struct{ pos, end token.Pos }

func (s span) Pos() token.Pos { return s.pos }
func (s span) End() token.Pos { return s.end }

// preamble is the comment above import "C", nil if there is none.
func preamble(f *ast.File) *ast.CommentGroup {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			i := s.(*ast.ImportSpec)
			switch {
			case i.Path.Value != `"C"`:
			case i.Doc != nil:
				return i.Doc
			case len(g.Specs) == 1:
				return g.Doc
			}
		}
	}
	return nil
}

func directives(p *rule.Pass) (all []mark) {
	for _, f := range p.Files {
		doc := preamble(f)
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			at := c.Pos()
			for line := range strings.Lines(c.Text) {
				before, _, _ := strings.Cut(line, "#cgo")
				fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "//"))
				if len(fields) == 3 && fields[0] == "#cgo" && (fields[1] == "noescape" || fields[1] == "nocallback") {
					text := strings.TrimRight(line, "\n")
					all = append(all, mark{span{at, at + token.Pos(len(text))}, fields[1] == "noescape", fields[2], before})
				}
				at += token.Pos(len(line))
			}
		}
	}
	return all
}

// wrong reports a line that the body of the C function contradicts.
func wrong(p *rule.Pass, m mark, exports map[string]bool) {
	if way := p.C.Reaches(m.name, func(c string) bool { return exports[c] }); way != nil {
		what := "nocallback: the program ends when it does"
		if m.escape {
			what = "noescape: the stack that its pointers lead to may move meanwhile"
		}
		p.Reportf(m, rule.Error, "%s calls Go (%s), so it can't have %s", m.name, strings.Join(way, " → "), what)
		return
	}
	fn := p.C.Func(m.name)
	if !m.escape || fn == nil || !fn.Defined {
		return
	}
	for i, param := range fn.Params {
		if fate := p.C.Fate(m.name, i); fate.Static && strings.Contains(param.Type, "*") {
			p.Reportf(m, rule.Error, "%s keeps its argument %d after it returns, so it can't have noescape", m.name, i+1)
			return
		}
	}
}

// missing reports, once for each function, calls that put a local variable on the heap for nothing.
func missing(p *rule.Pass, marked []mark) {
	done := map[string]bool{} // functions that have a line with noescape
	nocallback := map[string]bool{}
	for _, m := range marked {
		done[m.name] = done[m.name] || m.escape
		nocallback[m.name] = nocallback[m.name] || !m.escape
	}
	for _, m := range marked {
		if f := p.C.Func(m.name); m.escape && !nocallback[m.name] && f != nil && f.Defined && p.C.MayCallGo(m.name) == "" {
			p.Report(rule.Finding{
				At: m, Severity: rule.Note, Fix: beside(m),
				Message: fmt.Sprintf("noescape of %s does nothing without #cgo nocallback %s, which its body proves right", m.name, m.name),
			})
		}
	}
	for _, f := range p.Files {
		doc := preamble(f)
		if doc == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := p.CCall(call)
			if !ok || done[name] {
				return true
			}
			v := localAddress(p, call)
			if v == "" || !keepsNothing(p, name, call) {
				return true
			}
			done[name] = true
			found := rule.Finding{
				At: call, Severity: rule.Note, Fix: fix(doc, "#cgo noescape "+name, "#cgo nocallback "+name),
				Message: fmt.Sprintf("%s is put on the heap for this call, though C.%s keeps no pointer and calls no Go: #cgo noescape %s and #cgo nocallback %s leave it on the stack", v, name, name, name),
			}
			if nocallback[name] {
				found.Fix = fix(doc, "#cgo noescape "+name)
				found.Message = fmt.Sprintf("%s is put on the heap for this call, though C.%s keeps no pointer: #cgo noescape %s, beside the nocallback that is there, leaves it on the stack", v, name, name)
			}
			p.Report(found)
			return true
		})
	}
}

// localAddress is the local variable whose address a call passes, as &v, to stay there otherwise.
func localAddress(p *rule.Pass, call *ast.CallExpr) string {
	for _, a := range call.Args {
		u, ok := flow.Strip(p.Package, a).(*ast.UnaryExpr)
		if !ok || u.Op != token.AND {
			continue
		}
		v := p.Variable(u.X)
		fn := flow.Function(p.Package, call)
		if v == nil || fn == nil || v.Pos() < fn.Pos() || fn.End() < v.Pos() {
			continue
		}
		others := 0 // a variable that goes elsewhere too would be on the heap anyway
		ast.Inspect(fn, func(n ast.Node) bool {
			if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND && p.Variable(u.X) == v {
				others++
			}
			return true
		})
		if others == 1 {
			return v.Name()
		}
	}
	return ""
}

// keepsNothing reports whether the C is known to keep, free and return none of the pointers,
// and to call no Go.
func keepsNothing(p *rule.Pass, name string, call *ast.CallExpr) bool {
	fn := p.C.Func(name)
	if fn == nil || !fn.Defined || len(fn.Params) != len(call.Args) || p.C.MayCallGo(name) != "" {
		return false
	}
	for i, a := range call.Args {
		t := p.Info.TypeOf(a)
		if t == nil {
			return false
		}
		if b, ok := types.Unalias(t).Underlying().(*types.Basic); ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0 && b.Kind() != types.Uintptr {
			continue
		}
		if fate := p.C.Fate(name, i); fate.Frees || fate.Keeps || fate.Static || fate.Member || fate.Returns || fate.Unknown {
			return false
		}
	}
	return true
}

// beside writes the line with nocallback that belongs to one with noescape.
func beside(m mark) *rule.Fix {
	return &rule.Fix{Message: "say so", Edits: []rule.Edit{{Pos: m.pos, End: m.pos, New: m.start + "#cgo nocallback " + m.name + "\n"}}}
}

// fix writes lines at the beginning of the preamble.
func fix(doc *ast.CommentGroup, lines ...string) *rule.Fix {
	at, text := doc.Pos(), ""
	if strings.HasPrefix(doc.List[0].Text, "/*") {
		at += 2
		text = "\n" + strings.Join(lines, "\n")
		if !strings.HasPrefix(doc.List[0].Text, "/*\n") {
			text += "\n"
		}
	} else {
		for _, l := range lines {
			text += "// " + l + "\n"
		}
	}
	return &rule.Fix{Message: "say so", Edits: []rule.Edit{{Pos: at, End: at, New: text}}}
}
