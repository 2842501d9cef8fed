package cross

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A Report is what was built, with what, and what it needs.
type Report struct {
	Seam     string    `json:"seam"`
	Target   string    `json:"target"`
	Static   bool      `json:"static"`
	Glibc    string    `json:"glibc,omitempty"`
	Compiler string    `json:"compiler"`
	CC       string    `json:"cc"`
	CXX      string    `json:"cxx"`
	Note     string    `json:"note,omitempty"`
	Command  []string  `json:"command"`
	Exec     []string  `json:"exec,omitempty"` // what ran it, for go run and go test
	Binaries []*Binary `json:"binaries"`
}

var kind = jsonfile.Kind{Schema: "seam.cross/1"}

// WriteJSON writes the report for other programs.
func (r *Report) WriteJSON(w io.Writer) error { return kind.Encode(w, r) }

// Wrong is how many programs aren't what was asked for.
func (r *Report) Wrong() (n int) {
	for _, b := range r.Binaries {
		if len(b.Wrong) > 0 {
			n++
		}
	}
	return n
}

// WriteText shows the report.
func (r *Report) WriteText(out io.Writer, o text.Options) error {
	w := text.New(out, o)
	w.Line(text.Plain, fmt.Sprintf("built for %s with %s: CC=%s", r.Target, r.Compiler, r.CC))
	if len(r.Exec) > 0 {
		w.Line(text.Plain, "run by "+strings.Join(r.Exec, " ")+"; what was built isn't kept, and wasn't read")
	}
	if r.Note != "" {
		w.Line(text.Caution, "note: "+r.Note)
	}
	for _, b := range r.Binaries {
		w.Line(text.Bold, b.File+": "+b.summary())
		for _, v := range b.Versions {
			w.Paragraph(text.Plain, "  ", fmt.Sprintf("%s %s of %s or later, for %s", v.Family, v.Version, v.Library, quantity.First(v.Symbols, 5)))
		}
		if len(b.Foreign) > 0 && !r.Static {
			w.Paragraph(text.Caution, "  ", "not known as a part of Windows: "+strings.Join(b.Foreign, ", ")+"; put them beside the program, or use --static")
		}
		for _, what := range b.Wrong {
			w.Paragraph(text.Bad, "  wrong: ", what)
		}
	}
	return w.Flush()
}

func (b *Binary) summary() string {
	what := b.GOARCH
	if what == "" {
		what = b.Machine
	}
	if b.Variant != "" {
		what += " (" + b.Variant + ")"
	}
	switch {
	case b.GOOS == "windows" && b.Static:
		return what + ", needs only what is a part of Windows: " + strings.Join(b.Needs, ", ")
	case b.Static:
		return what + ", static: needs no shared library"
	case len(b.Needs) == 0:
		return what + ", dynamic linker " + b.Interpreter
	}
	return what + ", needs " + strings.Join(b.Needs, ", ")
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
