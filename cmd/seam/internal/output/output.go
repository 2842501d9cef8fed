// Package output writes the files that the tool is asked for, each whole or not at
// all: a reader never finds half a report.
package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A Writer writes files for a process with these streams.
type Writer struct {
	Stdout io.Writer
	Stderr io.Writer // told what is being waited for
}

// IsStdout reports whether path means the standard output of this process.
func IsStdout(path string) bool {
	switch path {
	case "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return true
	}
	return false
}

// Write makes the file at path hold what write writes. A regular file appears
// complete under its name or stays as it was; a symbolic link keeps pointing
// where it did. Standard output (see [IsStdout]), devices and named pipes get
// everything at once, after write has returned without an error. A named pipe
// that nobody reads is waited for until ctx ends.
func (w Writer) Write(ctx context.Context, path string, write func(io.Writer) error) error {
	if IsStdout(path) {
		return atOnce(w.Stdout, "standard output", write)
	}
	t, err := resolve(path)
	if err != nil {
		return err
	}
	if t.inPlace {
		return w.inPlace(ctx, t, write)
	}
	return t.replace(write)
}

// Check finds out, before a long run, whether [Writer.Write] to path would fail.
func Check(path string) error {
	if IsStdout(path) {
		return nil
	}
	t, err := resolve(path)
	if err != nil {
		return err
	}
	if t.inPlace {
		return t.checkInPlace()
	}
	// Trying is the only check that knows about read-only mounts, quotas and
	// capabilities.
	f, err := t.temporary()
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// InPlace reports whether path is a device or a pipe, which is written to directly
// and may make [Writer.Write] wait.
func InPlace(path string) bool {
	if IsStdout(path) {
		return false
	}
	t, err := resolve(path)
	return err == nil && t.inPlace
}

// A target is where the bytes for a path go.
type target struct {
	asked      string      // what the user typed, for messages
	file       string      // the file behind all links
	mode       fs.FileMode // permissions of the file that is there; 0 for a new one
	inPlace    bool        // a device, a pipe or an open descriptor
	descriptor bool        // one of the kernel's names for descriptors
	pipe       bool
}

// resolve finds the file behind path and refuses what can't be written.
func resolve(path string) (*target, error) {
	if path == "" {
		return nil, errors.New("cannot write a file without a name: give a path, or - for standard output")
	}
	t := &target{asked: path}
	var err error
	if t.file, t.descriptor, err = follow(path); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	info, err := os.Stat(t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !t.descriptor:
		return t, t.checkFolder()
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot write %s: no such descriptor is open", path)
	case err != nil:
		return nil, fmt.Errorf("cannot write %s: %w", path, Bare(err))
	}
	if err := t.refuse(info); err != nil {
		return nil, err
	}
	// The name that the kernel shows for an open descriptor may be no file, or
	// one that others hold open and that must not be swapped.
	if t.descriptor || !info.Mode().IsRegular() {
		t.inPlace, t.pipe = true, info.Mode()&fs.ModeNamedPipe != 0
		return t, nil
	}
	t.mode = info.Mode().Perm()
	// Replacing needs a writable folder only. A file that its owner made
	// read-only is still meant to stay.
	f, err := os.OpenFile(t.file, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w (chmod u+w it, or choose another file)", path, Bare(err))
	}
	return t, f.Close()
}

// descriptorName matches the kernel's names for open descriptors.
var descriptorName = regexp.MustCompile(`^(/dev/fd|/proc/[^/]+/(task/[^/]+/)?fd)/[^/]+$`)

// maxLinks is how many links in a row Linux follows before it gives up.
const maxLinks = 40

// follow resolves symbolic links, also ones whose target is yet to be made. It
// reports whether the way ends at one of the kernel's names for descriptors.
func follow(path string) (file string, descriptor bool, err error) {
	for range maxLinks {
		abs, err := filepath.Abs(path)
		if err != nil {
			return "", false, err
		}
		if descriptorName.MatchString(abs) {
			return path, true, nil
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, false, nil // what is wrong with it, if anything, Stat will say
		}
		next, err := os.Readlink(path)
		if err != nil {
			return "", false, Bare(err)
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return "", false, errors.New("too many symbolic links in a row: remove the loop")
}

// refuse rejects what is there already and can't become a report.
func (t *target) refuse(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("cannot write %s: it is a directory (name a file in it, such as %s)",
			t.asked, filepath.Join(t.asked, "report"))
	case info.Mode()&fs.ModeSocket != 0:
		return fmt.Errorf("cannot write %s: it is a socket (choose another name)", t.asked)
	}
	return nil
}

// checkFolder says why a file that isn't there can't be made.
func (t *target) checkFolder() error {
	if strings.HasSuffix(t.asked, string(filepath.Separator)) {
		return fmt.Errorf("cannot write %s: it names a directory (add a file name)", t.asked)
	}
	dir := filepath.Dir(t.file)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot write %s: folder %s does not exist (mkdir -p %s)", t.asked, dir, dir)
	case err != nil:
		return fmt.Errorf("cannot write %s: folder %s: %w", t.asked, dir, Bare(err))
	case !info.IsDir():
		return fmt.Errorf("cannot write %s: %s is a file, not a folder", t.asked, dir)
	}
	return nil
}

// temporary makes a new file beside the target, with the permissions that a
// plain create would give: os.CreateTemp's 0600 would ignore the umask.
func (t *target) temporary() (*os.File, error) {
	dir := filepath.Dir(t.file)
	for {
		name := filepath.Join(dir, fmt.Sprintf(".seam-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, fs.ErrExist):
			continue
		}
		return nil, fmt.Errorf("cannot write %s: can't create a file in folder %s: %w (make the folder writable, or choose another)",
			t.asked, dir, Bare(err))
	}
}

// replace writes a temporary file and gives it the target's name.
func (t *target) replace(write func(io.Writer) error) (err error) {
	f, err := t.temporary()
	if err != nil {
		return err
	}
	done := false
	defer func() { // also when write panics
		if !done {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := atOnce(f, t.asked, write); err != nil {
		return err
	}
	if t.mode != 0 {
		if err := f.Chmod(t.mode); err != nil {
			return fmt.Errorf("cannot write %s: keep its permissions: %w", t.asked, Bare(err))
		}
	}
	// Some file systems report a full disk no sooner than here.
	if err := f.Close(); err != nil {
		return fmt.Errorf("cannot write %s: %w", t.asked, Bare(err))
	}
	if err := os.Rename(f.Name(), t.file); err != nil {
		return fmt.Errorf("cannot write %s: %w", t.asked, Bare(err))
	}
	done = true
	return nil
}

// atOnce collects what write writes and passes it on when it is complete.
func atOnce(w io.Writer, name string, write func(io.Writer) error) error {
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("cannot write %s: %w", name, Bare(err))
	}
	return nil
}

// Bare drops the operation and path of an error whose message names the path
// already.
func Bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
