package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/include"
)

// headersVerb writes the C headers for those who can't point their compiler to the
// module's own.
type headersVerb struct {
	Dir string `arg:"" help:"Where to put them, as DIR/seam/coro.h and so on."`
}

func (headersVerb) examples() string {
	return "Examples:\n  seam headers internal/include\n  seam headers . && gcc -c -I. glue.c\n"
}

func (v headersVerb) Run(s *session) error {
	return fs.WalkDir(include.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := include.Files.ReadFile(name)
		if err != nil {
			return err
		}
		path := filepath.Join(v.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return withCode(exitFailed, fmt.Errorf("headers: %w", err))
		}
		out := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
		if err := out.Write(s.ctx, path, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}); err != nil {
			return withCode(exitFailed, fmt.Errorf("headers: %w", err))
		}
		_, err = fmt.Fprintln(s.stdout, path)
		return withCode(exitFailed, err)
	})
}
