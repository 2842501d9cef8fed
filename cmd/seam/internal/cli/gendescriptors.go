package cli

import (
	"io"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/output"
)

// genDesc is the verb that writes descriptors.
type genDesc struct {
	Files []string `arg:"" name:"file" help:"Thrift files, or folders of them."`

	Out string `short:"o" default:"-" placeholder:"FILE" help:"Write to this file; - is standard output, the default."`
	sources
}

func (genDesc) examples() string {
	return `Writes JSON with the files and all that they include, for descriptor.Parse of package
github.com/seamgo/seam/thrift/descriptor. With it a program knows services that it was not
built with: package github.com/seamgo/seam/thrift/generic calls them with JSON.

Examples:
  seam gen descriptors -o shop.json shop.thrift
  seam gen descriptors -I third_party idl/ > all.json
`
}

func (v *genDesc) Run(s *session) error {
	paths, err := model.Find(v.Files)
	if err != nil {
		return err
	}
	opt := v.options()
	opt.NoCode = true
	progs, err := s.loadThrift(paths, opt, v.Strict)
	if err != nil {
		return err
	}
	progs = slices.DeleteFunc(progs, func(p *model.Program) bool { return !p.Requested })
	text, err := gen.Descriptors(progs)
	if err != nil {
		return err
	}
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	return withCode(exitFailed, to.Write(s.ctx, v.Out, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	}))
}
