package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// A thriftTree are the Thrift files of one version.
type thriftTree struct {
	revision string   // of git; "": they lie in the file system
	paths    []string // what was asked for
	top      string   // the repository's folder
	blobs    map[string][]byte
}

// gitTree reads all Thrift files of a revision, since any may be included, and finds those that
// were asked for, or the one of another path from the repository's root.
func (s *session) gitTree(revision string, files []string, other string) (*thriftTree, error) {
	if strings.HasPrefix(revision, "-") {
		return nil, fmt.Errorf("git:%s: a revision doesn't begin with -", revision)
	}
	dir := "."
	if len(files) > 0 {
		dir = existingFolder(files[0])
	}
	git := func(in io.Reader, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(s.ctx, "git", append([]string{"-C", dir}, args...)...)
		cmd.Stdin = in
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %s", args[0], cmp.Or(strings.TrimSpace(stderr.String()), err.Error()))
		}
		return out, nil
	}
	top, err := git(nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	t := &thriftTree{revision: revision, top: strings.TrimRight(string(top), "\r\n"), blobs: map[string][]byte{}}
	list, err := git(nil, "ls-tree", "-r", "-z", "--full-tree", revision)
	if err != nil {
		return nil, err
	}
	var names []string
	var ids strings.Builder
	for entry := range strings.SplitSeq(string(list), "\x00") {
		// MODE blob ID \t PATH; links are blobs too, of another mode.
		what, path, _ := strings.Cut(entry, "\t")
		parts := strings.Fields(what)
		if len(parts) == 3 && parts[1] == "blob" && parts[0] != "120000" && filepath.Ext(path) == ".thrift" {
			names = append(names, path)
			ids.WriteString(parts[2] + "\n")
		}
	}
	all, err := git(strings.NewReader(ids.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(all))
	for _, name := range names {
		var id, kind string
		var size int
		head, err := r.ReadString('\n')
		if err == nil {
			_, err = fmt.Sscan(head, &id, &kind, &size)
		}
		if err != nil {
			return nil, fmt.Errorf("git cat-file: %s of %s: %w", strings.TrimSpace(head), name, err)
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, fmt.Errorf("git cat-file: %s: %w", name, err)
		}
		r.ReadByte() // the end of the line behind it
		t.blobs[name] = text
	}
	if other != "" {
		files = []string{filepath.Join(t.top, filepath.FromSlash(other))}
	}
	return t, t.find(files)
}

// existingFolder is the folder of a path, or the nearest one above that there is.
func existingFolder(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return "."
		}
	}
}

// inside is the path of a file in the repository.
func (t *thriftTree) inside(path string) (string, bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(t.top, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		// The folder may have another name by a link.
		real, err := filepath.EvalSymlinks(existingFolder(abs))
		if err != nil {
			return "", false
		}
		rest, err := filepath.Rel(existingFolder(abs), abs)
		if err != nil {
			return "", false
		}
		if rel, err = filepath.Rel(t.top, filepath.Join(real, rest)); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return "", false
		}
	}
	return filepath.ToSlash(rel), true
}

// find replaces folders by the files below them, as model.Find does.
func (t *thriftTree) find(files []string) error {
	for _, path := range files {
		name, ok := t.inside(path)
		if !ok {
			return fmt.Errorf("%s is outside of the repository %s", path, t.top)
		}
		if _, ok := t.blobs[name]; ok {
			t.paths = append(t.paths, path)
			continue
		}
		prefix := name + "/"
		if name == "." {
			prefix = ""
		}
		var below []string
		for blob := range t.blobs {
			if rest, ok := strings.CutPrefix(blob, prefix); ok {
				below = append(below, filepath.Join(path, filepath.FromSlash(rest)))
			}
		}
		if len(below) == 0 {
			return fmt.Errorf("%s has no Thrift file %s, and none below it", t.revision, path)
		}
		slices.Sort(below)
		t.paths = append(t.paths, below...)
	}
	return nil
}

// readFile reads a file of the version. What is outside of the repository is read as it is today.
func (t *thriftTree) readFile(path string) ([]byte, error) {
	if t.revision == "" {
		return model.ReadFile(path)
	}
	name, ok := t.inside(path)
	if !ok {
		return model.ReadFile(path)
	}
	if text, ok := t.blobs[name]; ok {
		return text, nil
	}
	return nil, &fs.PathError{Op: "open", Path: t.revision + ":" + name, Err: fs.ErrNotExist}
}
