package cli

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/include"
)

// headersVerb writes the C headers to a folder, for those who can't point their compiler
// at the module's own.
type headersVerb struct {
	Dir string `arg:"" help:"Where to put them: DIR/seam/coro.h and so on."`
}

func (headersVerb) examples() string {
	return "Examples:\n  seam headers internal/include\n  seam headers . && gcc -c -I. glue.c\n"
}

func (v headersVerb) Run(s *session) error {
	var files []output.File
	err := fs.WalkDir(include.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := include.Files.ReadFile(name)
		if err != nil {
			return err
		}
		path := filepath.Join(v.Dir, filepath.FromSlash(name))
		files = append(files, output.File{Path: path, Text: text})
		return nil
	})
	if err != nil {
		return err
	}
	out := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	err = out.WriteFiles(s.ctx, files, func(path string) { fmt.Fprintln(s.stdout, path) })
	if err != nil {
		err = fmt.Errorf("headers: %w", err)
	}
	return withCode(exitFailed, err)
}
