package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is what is to be written to a path.
type File struct {
	Path string
	Text []byte
}

// WriteFile makes a file, as [Writer.Write] does.
func (w Writer) WriteFile(ctx context.Context, f File) error {
	return w.Write(ctx, f.Path, func(to io.Writer) error {
		_, err := to.Write(f.Text)
		return err
	})
}

// WriteFiles makes files, and the folders that they need, and tells done of each. It
// finds out that one of them can't be written before the first is.
func (w Writer) WriteFiles(ctx context.Context, files []File, done func(path string)) error {
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
			return fmt.Errorf("cannot write %s: %w", f.Path, err)
		}
		if err := Check(f.Path); err != nil {
			return err
		}
	}
	for i, f := range files {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %d of %d files are written", i, len(files))
		}
		if err := w.WriteFile(ctx, f); err != nil {
			return err
		}
		done(f.Path)
	}
	return nil
}

// Changed returns the generated files that differ from what is there. It refuses to
// replace what isn't generated: what ours doesn't recognise, unless it is empty. by
// is the generator.
func Changed(files []File, by string, ours func(text []byte) bool) ([]File, error) {
	var list []File
	for _, f := range files {
		old, err := os.ReadFile(f.Path)
		switch {
		case err == nil && bytes.Equal(old, f.Text):
			continue
		case err == nil && len(old) > 0 && !ours(old):
			return nil, fmt.Errorf("%s was not written by %s, so it is not replaced: move it away", f.Path, by)
		case err != nil && isFolder(f.Path):
			return nil, fmt.Errorf("%s would be a file, but is a folder: move it away", f.Path)
		}
		list = append(list, f) // whether it can be written is found out later
	}
	return list, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Compare tells of each file that is missing or differs, and counts them.
func Compare(files []File, tell func(what, path string)) (found int, err error) {
	for _, f := range files {
		old, err := os.ReadFile(f.Path)
		what := "differs"
		switch {
		case errors.Is(err, fs.ErrNotExist):
			what = "missing"
		case err != nil:
			return found, err
		case bytes.Equal(old, f.Text):
			continue
		}
		found++
		tell(what, f.Path)
	}
	return found, nil
}
