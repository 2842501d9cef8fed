package calltrace

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Instrument is the transform that makes a traced program: C wrappers and Go
// stubs are enclosed, and Go functions that C calls leave a mark.
type Instrument struct{}

var _ toolexec.Transform = Instrument{}

// source is what rewrites packages: what it writes depends on it.
//
//go:embed instrument*.go
var source embed.FS

// ID names the tracer and covers its run-time.
func (Instrument) ID() string { return record.ID("trace", source, trace.C(), trace.Go) }

// Runtime is the tracer's Go side.
func (Instrument) Runtime(goarch string) (toolexec.Runtime, error) {
	return toolexec.Runtime{Go: trace.Go, WithRuntime: record.Callers}, nil
}

// packageHeader is the C file with a package's list of functions. They stand in
// a header of ours because warnings are off there, whatever the user's flags.
const packageHeader = "seam_trace_package.h"

// Package encloses every C call.
func (Instrument) Package(importPath string, g *cgofile.Generated) (toolexec.Result, error) {
	var r toolexec.Result
	if goos, goarch := toolexec.Target(); !record.Known(goos, goarch) {
		for _, f := range g.Functions() {
			r.Left = append(r.Left, toolexec.Left{Func: f.Name, Reason: "programs can be traced on linux/amd64 and linux/arm64 only, this is " + goos + "/" + goarch})
		}
		return r, nil
	}
	export := g.Export()
	if export.Start == 0 {
		return r, fmt.Errorf("%s has no place for the tracer where cgo leaves one: this version of cgo is not known", export.Name)
	}
	p := &instrumented{g: g, path: importPath}
	p.functions(&r)
	p.stubs()
	p.wrappers()
	export.Insert("#include \"" + trace.HeaderName + "\"\n#include \"" + trace.ImplementationName + "\"\n#include \"" + packageHeader + "\"\n")
	for _, e := range g.Exports {
		export.InsertAt(e.Entered, "\tSEAM_TRACE_MARK\n")
	}
	r.Files = trace.C()
	r.Files[packageHeader] = p.header()
	return r, nil
}

// instrumented is a package that is being rewritten.
type instrumented struct {
	g     *cgofile.Generated
	path  string
	stem  string // "_cgo_22f1173705d1": how cgo begins all names of the package
	list  []cgofile.Function
	index map[string]int // in list, by name
}

// functions lists the functions that can be traced.
func (p *instrumented) functions(r *toolexec.Result) {
	p.index = map[string]int{}
	for _, f := range p.g.Functions() {
		if f.Reason != "" {
			r.Left = append(r.Left, toolexec.Left{Func: f.Name, Reason: f.Reason})
			continue
		}
		p.index[f.Name] = len(p.list)
		p.list = append(p.list, f)
		r.Done = append(r.Done, f.Name)
	}
	for _, s := range p.g.Gotypes.Stubs {
		if i := strings.Index(s.Symbol, "_C"); i > 0 && s.Reason == "" {
			p.stem = s.Symbol[:i]
			return
		}
	}
}

// stubs encloses the calls in Go.
func (p *instrumented) stubs() {
	if len(p.list) == 0 {
		return
	}
	t := p.g.Gotypes
	cgo := t.ImportCgo()
	for i := range t.Stubs {
		s := &t.Stubs[i]
		if k, ok := p.index[s.Name]; ok {
			t.Enclose(s,
				fmt.Sprintf("_seam := %s.SeamTraceEnter(&_seam_site%d)\n\t", cgo, k),
				fmt.Sprintf("\n\tif _seam != 0 {\n\t\t%s.SeamTraceLeave(&_seam_site%d, _seam)\n\t}", cgo, k))
		}
	}
	var b bytes.Buffer
	for _, symbol := range []string{p.table(), p.stem + "_seam_go"} {
		fmt.Fprintf(&b, "\n//go:cgo_import_static %s\n//go:linkname __cgofn_%s %[1]s\nvar __cgofn_%[2]s byte\n", symbol, symbol)
	}
	b.WriteByte('\n')
	for k := range p.list {
		fmt.Fprintf(&b, "var _seam_site%d = %s.SeamTraceSite{Functions: unsafe.Pointer(&__cgofn_%s), Index: %[1]d, Enter: unsafe.Pointer(&__cgofn_%[4]s_seam_go)}\n",
			k, cgo, p.table(), p.stem)
	}
	t.Append(b.String())
}

// table is the C name of the package's list of functions.
func (p *instrumented) table() string { return p.stem + "_seam_functions" }

// wrappers encloses the calls in C.
func (p *instrumented) wrappers() {
	declared := map[*cgofile.Wrappers]bool{p.g.Export(): true}
	for i := range p.g.Gotypes.Stubs {
		s := &p.g.Gotypes.Stubs[i]
		k, ok := p.index[s.Name]
		if !ok {
			continue
		}
		file, w := p.g.Wrapper(s)
		if !declared[file] {
			declared[file] = true
			file.Insert(fmt.Sprintf("#include \"%s\"\nextern struct seam_trace_function %s[] SEAM_TRACE_HIDDEN;\n", trace.HeaderName, p.table()))
		}
		macro := "SEAM_TRACE_VOID"
		if w.Errno {
			macro = "SEAM_TRACE_ERRNO"
		}
		inner := "_seam" + w.Symbol
		file.Outer(w, inner, fmt.Sprintf("\n%s(%s, %s, &%s[%d])\n", macro, w.Symbol, inner, p.table(), k))
	}
}

// header is the package's list of functions in C.
func (p *instrumented) header() []byte {
	var b bytes.Buffer
	b.WriteString("#pragma GCC system_header\n")
	if len(p.list) == 0 {
		return b.Bytes()
	}
	fmt.Fprintf(&b, "extern struct seam_trace_function %s[] SEAM_TRACE_HIDDEN;\nstruct seam_trace_function %[1]s[%d] = {\n", p.table(), len(p.list))
	for _, f := range p.list {
		fmt.Fprintf(&b, "\t{%s, %s, 0},\n", quoteC(f.Name), quoteC(f.Signature()))
	}
	fmt.Fprintf(&b, "};\nSEAM_TRACE_PACKAGE(%s, %s, %s, %d, %s_seam)\n",
		quoteC(p.path), quoteC(strings.TrimPrefix(p.stem, "_cgo_")), p.table(), len(p.list), p.stem)
	return b.Bytes()
}

// quoteC is a string in C: everything but letters, digits and the plainest
// signs in octal, so that no trigraph or other surprise is left.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" _./-()[]{},;*=:", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "\\%03o", c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
