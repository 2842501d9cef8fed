package calltrace

import (
	"bytes"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// encloseStubs has Go time a sample of the calls, and tell who makes them.
func encloseStubs(p *cgofile.Package) error {
	if len(p.Selected) == 0 {
		return nil
	}
	t := p.Gotypes
	cgo := t.ImportCgo()
	p.Stubs(func(k int, s *cgofile.Stub) {
		t.Enclose(s,
			fmt.Sprintf("_seam := %s.SeamTraceEnter(&_seam_site%d)\n\t", cgo, k),
			fmt.Sprintf("\n\tif _seam != 0 {\n\t\t%s.SeamTraceLeave(&_seam_site%d, _seam)\n\t}", cgo, k))
	})
	var b bytes.Buffer
	enter := p.Stem() + "_seam_go"
	for _, symbol := range []string{table(p), enter} {
		fmt.Fprintf(&b, "\n//go:cgo_import_static %s\n//go:linkname __cgofn_%[1]s %[1]s\nvar __cgofn_%[1]s byte\n", symbol)
	}
	b.WriteByte('\n')
	for k := range p.Selected {
		fmt.Fprintf(&b, "var _seam_site%d = %s.SeamTraceSite{Functions: unsafe.Pointer(&__cgofn_%s), Index: %[1]d, Enter: unsafe.Pointer(&__cgofn_%[4]s)}\n",
			k, cgo, table(p), enter)
	}
	t.Append(b.String())
	return nil
}

// table is the C name of the package's list of functions.
func table(p *cgofile.Package) string { return p.Stem() + "_seam_functions" }
