package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// WriteText shows the report: what is, then what is wrong and what to do about it.
func (r *Report) WriteText(out io.Writer, o text.Options) error {
	w := text.New(out, o)
	row := func(what, says string) {
		lead := fmt.Sprintf("%-10s", what)
		for line := range strings.Lines(says) {
			w.Paragraph(text.Plain, lead, strings.TrimSuffix(line, "\n"))
			lead = strings.Repeat(" ", len(lead))
		}
	}
	b := &r.Build
	w.Line(text.Bold, "The build in "+b.Folder)
	if b.Env != nil {
		row("go", b.goLine())
		row("cgo", b.cgoLine())
		row("CC", compilerLine(b.C))
		row("CXX", compilerLine(b.CXX))
	}
	for _, way := range r.Ways {
		row(way.Name, way.Says)
	}
	w.WriteString("\n")
	w.Line(text.Bold, "This machine")
	row("machine", r.Machine.Line())
	for _, s := range r.Kernel {
		w.Paragraph(text.Plain, "kernel    ", fmt.Sprintf("%s is %s: %s", s.Name, s.Value, s.Means))
	}
	row("seam", r.Seam+", "+r.Machine.Go)
	for _, area := range []struct{ name, head string }{
		{AreaBuild, "To fix in this build:"},
		{AreaKernel, "Settings of the kernel, to change as root:"},
		{AreaMeasure, "What this machine can't measure, or not well:"},
	} {
		first := true
		for _, f := range r.Findings {
			if f.Area != area.name {
				continue
			}
			if first {
				w.WriteString("\n")
				w.Line(text.Bold, area.head)
				first = false
			}
			w.Paragraph(text.Plain, "  ", f.What)
			w.Paragraph(text.Plain, "    why:  ", f.Why)
			if f.Fix != "" {
				w.Paragraph(text.Plain, "    fix:  ", f.Fix)
			}
		}
	}
	if len(r.Findings) == 0 {
		w.WriteString("\n")
		w.Line(text.Plain, "Nothing is wrong: everything works and can be measured.")
	}
	return w.Flush()
}

func (b *Build) goLine() string {
	line := b.Go + " for " + b.System()
	if b.Module == "" {
		line += ", outside of modules"
	}
	if b.GOFLAGS != "" {
		line += ", GOFLAGS=" + b.GOFLAGS
	}
	return line
}

func (b *Build) cgoLine() string {
	if b.Cgo {
		return "on"
	}
	return "off: " + b.NoCgo
}

// compilerLine is one compiler. That of C++ may be missing without a finding, so that its
// fix stands here.
func compilerLine(s compiler.State) string {
	switch {
	case s.Problem != "" && s.Fix != "":
		return s.Problem + ": " + s.Fix
	case s.Problem != "":
		return s.Problem
	case s.Version == "":
		return s.Path
	}
	return s.Path + ", " + s.Version
}
