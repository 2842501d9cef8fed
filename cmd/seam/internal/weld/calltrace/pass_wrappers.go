package calltrace

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trace"
)

// encloseWrappers has C count and time all calls.
func encloseWrappers(p *cgofile.Package) error {
	declared := map[*cgofile.Wrappers]bool{p.Export(): true}
	p.Stubs(func(k int, s *cgofile.Stub) {
		file, w := p.Wrapper(s)
		if !declared[file] {
			declared[file] = true
			file.Insert(fmt.Sprintf("#include \"%s\"\nextern struct seam_trace_function %s[] SEAM_TRACE_HIDDEN;\n", trace.HeaderName, table(p)))
		}
		macro := "SEAM_TRACE_VOID"
		if w.Errno {
			macro = "SEAM_TRACE_ERRNO"
		}
		inner := "_seam" + w.Symbol
		file.Outer(w, inner, fmt.Sprintf("\n%s(%s, %s, &%s[%d])\n", macro, w.Symbol, inner, table(p), k))
	})
	return nil
}

// packageHeader is the C file with a package's list of functions. They stand in
// a header of ours because warnings are off there, whatever the user's flags.
const packageHeader = "seam_trace_package.h"

// listFunctions writes that header, and includes it with the run-time.
func listFunctions(p *cgofile.Package) error {
	var b bytes.Buffer
	b.WriteString("#pragma GCC system_header\n")
	if len(p.Selected) > 0 {
		fmt.Fprintf(&b, "extern struct seam_trace_function %s[] SEAM_TRACE_HIDDEN;\nstruct seam_trace_function %[1]s[%d] = {\n", table(p), len(p.Selected))
		for _, f := range p.Selected {
			fmt.Fprintf(&b, "\t{%s, %s, 0},\n", cgofile.QuoteC(f.Name), cgofile.QuoteC(f.Signature()))
		}
		fmt.Fprintf(&b, "};\nSEAM_TRACE_PACKAGE(%s, %s, %s, %d, %s_seam)\n",
			cgofile.QuoteC(p.ImportPath), cgofile.QuoteC(strings.TrimPrefix(p.Stem(), "_cgo_")), table(p), len(p.Selected), p.Stem())
	}
	p.Headers = trace.Runtime.C()
	p.Headers[packageHeader] = b.Bytes()
	p.Export().Insert("#include \"" + trace.HeaderName + "\"\n#include \"" + trace.ImplementationName + "\"\n#include \"" + packageHeader + "\"\n")
	return nil
}
