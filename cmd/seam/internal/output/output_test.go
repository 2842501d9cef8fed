//seam:test race

package output_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/output"
)

// text returns a writer function that writes s.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// write writes for a process whose context never ends.
func write(path string, stdout io.Writer, f func(io.Writer) error) error {
	return output.Writer{Stdout: stdout, Stderr: io.Discard}.Write(context.Background(), path, f)
}

// only fails the test unless dir holds just the named files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if strings.Join(have, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %q, want %q", dir, have, names)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWriteNewFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.html")
	if err := write(path, nil, text("hello")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); got != "hello" {
		t.Errorf("file holds %q, want hello", got)
	}
	only(t, dir, "r.html")

	// The mode is what a plain create gives in this process.
	plain, err := os.Create(filepath.Join(dir, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	want, _ := plain.Stat()
	got, _ := os.Stat(path)
	if got.Mode() != want.Mode() {
		t.Errorf("mode is %v, a plain create gives %v", got.Mode(), want.Mode())
	}
}

func TestWriteReplacesAndKeepsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.html")
	if err := os.WriteFile(path, []byte("much longer than the new text"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := write(path, nil, text("new")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); got != "new" {
		t.Errorf("file holds %q, want new", got)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode became %v, want 0640", info.Mode())
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	boom := errors.New("boom")
	for _, existed := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "r.html")
		var names []string
		if existed {
			names = []string{"r.html"}
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		err := write(path, nil, func(w io.Writer) error {
			io.WriteString(w, "half of ")
			return boom
		})
		if !errors.Is(err, boom) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want boom with the path", err)
		}
		only(t, dir, names...)
		if existed && contents(t, path) != "old" {
			t.Error("the old file was touched")
		}
	}
}

func TestPanicLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() { recover() }()
		write(filepath.Join(dir, "r.html"), nil, func(io.Writer) error { panic("boom") })
	}()
	only(t, dir)
}

func TestStdout(t *testing.T) {
	for _, path := range []string{"-", "/dev/stdout"} {
		var buf bytes.Buffer
		if err := output.Check(path); err != nil {
			t.Errorf("Check(%q): %v", path, err)
		}
		if err := write(path, &buf, text("hello")); err != nil || buf.String() != "hello" {
			t.Errorf("Write(%q) gave %q, %v", path, buf.String(), err)
		}
		buf.Reset()
		err := write(path, &buf, func(w io.Writer) error {
			io.WriteString(w, "half of ")
			return errors.New("boom")
		})
		if err == nil || buf.Len() != 0 {
			t.Errorf("failed Write(%q) gave %q, %v", path, buf.String(), err)
		}
	}
}

func TestSymlinkStays(t *testing.T) {
	for _, existed := range []bool{false, true} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "data"), 0o777); err != nil {
			t.Fatal(err)
		}
		file, link := filepath.Join(dir, "data", "r.html"), filepath.Join(dir, "latest.html")
		if existed {
			if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("data/r.html", link); err != nil {
			t.Fatal(err)
		}
		if err := output.Check(link); err != nil {
			t.Errorf("Check: %v", err)
		}
		if err := write(link, nil, text("new")); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); err != nil || to != "data/r.html" {
			t.Errorf("link became %q, %v", to, err)
		}
		if got := contents(t, file); got != "new" {
			t.Errorf("target holds %q, want new", got)
		}
		only(t, filepath.Join(dir, "data"), "r.html")
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, fix string }{
		{"no name", "", "for standard output"},
		{"directory", dir, "it is a directory"},
		{"no such folder", filepath.Join(dir, "none", "r.html"), "mkdir -p " + filepath.Join(dir, "none")},
		{"trailing slash", filepath.Join(dir, "none") + "/", "add a file name"},
		{"folder is a file", filepath.Join(file, "r.html"), "not a directory"},
		{"link to itself", loop, "remove the loop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for verb, err := range map[string]error{
				"Check": output.Check(c.path),
				"Write": write(c.path, nil, text("x")),
			} {
				if err == nil || !strings.Contains(err.Error(), c.fix) || !strings.Contains(err.Error(), c.path) {
					t.Errorf("%s: %v, want an error with the path and %q", verb, err, c.fix)
				}
			}
		})
	}
	only(t, dir, "file", "loop")
}

func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "r.html")
	if err := os.WriteFile(file, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := output.Check(file); err == nil || !strings.Contains(err.Error(), "chmod u+w") {
		t.Errorf("read-only file: %v", err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o777)
	if err := output.Check(filepath.Join(dir, "new")); err == nil || !strings.Contains(err.Error(), "make the folder writable") {
		t.Errorf("read-only folder: %v", err)
	}
}

func TestCheckLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := output.Check(filepath.Join(dir, "r.html")); err != nil {
		t.Fatal(err)
	}
	only(t, dir)
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"old", "other"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"to-old": "old", "to-new": "new", "folder": "."} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("old", "hard"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"new", "new", true},
		{"new", "./new", true},
		{"new", filepath.Join(dir, "new"), true},
		{"new", "to-new", true},
		{"new", "folder/new", true},
		{"old", "to-old", true},
		{"old", "hard", true},
		{"old", "folder/old", true},
		{"-", "/dev/stdout", true},
		{"-", "new", false},
		{"old", "other", false},
		{"old", "new", false},
		{"new", "newer", false},
		{os.DevNull, os.DevNull, false},
		{"none/new", "none/new", true},
	} {
		if got := output.Same(c.a, c.b); got != c.want || output.Same(c.b, c.a) != c.want {
			t.Errorf("Same(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
