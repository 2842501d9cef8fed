package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/layout"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// layoutVerb is the verb that compares how Go and C lay out data.
type layoutVerb struct {
	Args []string `arg:"" optional:"" name:"package|GoType=CType" help:"Packages, as for go build (default: the one here), and pairs of types besides those that directives name."`

	Header []string `placeholder:"FILE" help:"Take the C types from this header, not from above import \"C\"; may be given several times."`
	CFlags string   `name:"cflags" placeholder:"FLAGS" help:"Further flags for the C compiler, separated by spaces."`
	Lang   string   `enum:"c,c++" default:"c" placeholder:"c" help:"Language of the headers: ${enum}."`
	Tags   string   `placeholder:"LIST" help:"Build tags, as for go build."`
	Line   int64    `default:"64" placeholder:"64" help:"Bytes in a cache line (${default})."`

	AnyAlign bool `help:"Don't count a different alignment of the whole type as a mismatch."`

	Write bool   `xor:"what" help:"Write layout_seam.go and layout_seam.h, which don't compile where a layout changes."`
	Check bool   `xor:"what" help:"Write nothing; exit with code 1 if these files are not as --write would write them."`
	HTML  string `placeholder:"FILE" help:"Write a page with pictures; - is standard output."`
	JSON  string `name:"json" placeholder:"FILE" help:"Write the comparison as JSON; - is standard output."`
}

func (layoutVerb) examples() string {
	return `Compares Go types with C types as the two compilers lay them out, read from DWARF:
size, alignment, every field. Pairs are named in a comment above the type or on
the command line. CType is spelled as in C or as in cgo.

  //seam:layout struct point
  type Point struct { X, Y int32 }

To keep the check in the code: //go:generate seam layout --write

Examples:
  seam layout
  seam layout ./geometry Point=struct_point Path=path_t
  seam layout --header include/api.h --cflags '-I include' Point='struct point'
  seam layout --write ./... && seam layout --check ./...
  seam layout --html layout.html ./geometry
  GOARCH=arm64 CC=aarch64-linux-gnu-gcc CGO_ENABLED=1 seam layout ./geometry
`
}

func (v *layoutVerb) Run(s *session) error {
	for _, f := range []struct{ flag, path string }{{"--html", v.HTML}, {"--json", v.JSON}} {
		if f.path != "" {
			if err := output.Check(f.path); err != nil {
				return fmt.Errorf("%s: %w", f.flag, err)
			}
		}
	}
	o := layout.Options{
		Go: "go", Dir: ".", Tags: v.Tags, Headers: v.Header, CFlags: strings.Fields(v.CFlags), CXX: v.Lang == "c++",
		Line: v.Line, AnyAlign: v.AnyAlign, Seam: toolVersion(),
	}
	for _, a := range v.Args {
		if !strings.Contains(a, "=") {
			o.Packages = append(o.Packages, a)
			continue
		}
		p, err := layout.ParsePair(a)
		if err != nil {
			return err
		}
		o.Pairs = append(o.Pairs, p)
	}
	if len(o.Packages) == 0 {
		o.Packages = []string{"."}
	}
	out, err := layout.Run(s.ctx, o)
	if s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted: nothing was written"))
	}
	if err != nil {
		return err
	}
	if err := v.show(s, out.Report); err != nil {
		return withCode(exitFailed, err)
	}
	if n := out.Report.Differing(); n > 0 {
		text := fmt.Sprintf("Go and C lay out %s of %d differently", quantity.Plural(n, "pair"), len(out.Report.Pairs))
		if v.Write || v.Check {
			text += ", so no checks are written: fix that first"
		}
		return withCode(exitFinding, errors.New(text))
	}
	switch {
	case v.Write:
		return v.write(s, out)
	case v.Check:
		return v.check(s, out)
	}
	return nil
}

// show shows the comparison in every form that was asked for: as text if that is
// none, with --write and --check only if something differs.
func (v *layoutVerb) show(s *session, r *layout.Report) error {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	if v.HTML != "" {
		if err := to.Write(s.ctx, v.HTML, r.WriteHTML); err != nil {
			return err
		}
	}
	if v.JSON != "" {
		if err := to.Write(s.ctx, v.JSON, r.WriteJSON); err != nil {
			return err
		}
	}
	if v.HTML != "" || v.JSON != "" || (v.Write || v.Check) && r.Differing() == 0 {
		return nil
	}
	return r.WriteText(s.stdout, terminal.Of(s.stdout).Options)
}

func (v *layoutVerb) write(s *session, out *layout.Outcome) error {
	defer v.warn(s, out)
	return s.writeGenerated(out.Files, "seam layout", layout.Generated)
}

func (v *layoutVerb) check(s *session, out *layout.Outcome) error {
	found, err := output.Compare(out.Files, func(what, path string) { fmt.Fprintf(s.stdout, "%-8s %s\n", what, path) })
	if err != nil {
		return err
	}
	v.warn(s, out)
	if found > 0 {
		return withCode(exitFinding, fmt.Errorf("%s not what seam layout would write: run it with --write", quantity.Plural(found, "file is", "files are")))
	}
	return s.upToDate(len(out.Files))
}

func (v *layoutVerb) warn(s *session, out *layout.Outcome) {
	for _, w := range out.Warnings {
		fmt.Fprintf(s.stderr, "seam: %s\n", w)
	}
}
