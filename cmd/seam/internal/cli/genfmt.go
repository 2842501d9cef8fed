package cli

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/textdiff"
)

// genFmt is the verb that formats Thrift files.
type genFmt struct {
	Files []string `arg:"" name:"file" help:"Thrift files, folders of them, or - for standard input."`
	Write bool     `short:"w" help:"Rewrite the files that change, instead of printing all to standard output."`
	Diff  bool     `short:"d" help:"Print what would change; exit with code 1 if anything does and -w is not given."`
	List  bool     `short:"l" help:"Print the names of the files that change; exit code as with -d."`
}

func (genFmt) examples() string {
	return `Keeps comments and the order of declarations; leaves files with mistakes alone.

Examples:
  seam gen fmt order.thrift
  seam gen fmt -l -w idl/
  seam gen fmt -d idl/
`
}

func (v *genFmt) Run(s *session) error {
	paths, err := model.Find(v.Files)
	if err != nil {
		return err
	}
	type file struct {
		path      string
		old, made []byte
	}
	var files []file
	var all syntax.Errors
	for _, path := range paths {
		old, err := v.read(s, path)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, output.Bare(err))
		}
		made, errs := syntax.Format(path, old)
		all = append(all, errs...)
		files = append(files, file{path, old, made})
	}
	// A mistake in one file leaves all as they are.
	if err := s.report(all, false); err != nil {
		return err
	}
	out := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	found := 0
	for _, f := range files {
		changes := string(f.old) != string(f.made)
		if changes {
			found++
		}
		switch {
		case changes && v.List:
			fmt.Fprintln(s.stdout, f.path)
		case !v.Write && !v.Diff && !v.List:
			if _, err := s.stdout.Write(f.made); err != nil {
				return withCode(exitFailed, err)
			}
		}
		if changes && v.Diff {
			fmt.Fprint(s.stdout, textdiff.Unified(f.path, f.path+" (formatted)", string(f.old), string(f.made)))
		}
		if changes && v.Write {
			if err := out.WriteFile(s.ctx, output.File{Path: f.path, Text: f.made}); err != nil {
				return withCode(exitFailed, err)
			}
		}
	}
	if found > 0 && (v.List || v.Diff) && !v.Write {
		return withCode(exitFinding, fmt.Errorf("%s not formatted: run seam gen fmt -w", quantity.Plural(found, "file is", "files are")))
	}
	return nil
}

func (v *genFmt) read(s *session, path string) ([]byte, error) {
	if path != "-" {
		return model.ReadFile(path)
	}
	return model.ReadAll(s.stdin)
}
