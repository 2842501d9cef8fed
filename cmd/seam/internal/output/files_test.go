package output

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGeneratedFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"same": "gen 1", "differs": "gen 2", "empty": ""} {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ours := func(text []byte) bool { return strings.HasPrefix(string(text), "gen ") }
	var files []File
	for _, name := range []string{"same", "differs", "empty", "new/missing"} {
		files = append(files, File{at(name), []byte("gen 1")})
	}
	var told []string
	tell := func(what, path string) { told = append(told, what+" "+filepath.Base(path)) }
	if found, err := Compare(files, tell); found != 3 || err != nil || !slices.Equal(told, []string{"differs differs", "differs empty", "missing missing"}) {
		t.Errorf("%d of them differ: %v, %v", found, told, err)
	}
	changed, err := Changed(files, "seam test", ours)
	if err != nil || len(changed) != 3 {
		t.Fatalf("changed are %v, %v", changed, err)
	}
	var done []string
	w := Writer{io.Discard, io.Discard}
	if err := w.WriteFiles(t.Context(), changed, func(path string) { done = append(done, path) }); err != nil || len(done) != 3 {
		t.Errorf("written are %v, %v", done, err)
	}
	if changed, err := Changed(files, "seam test", ours); err != nil || len(changed) > 0 {
		t.Errorf("then changed are %v, %v", changed, err)
	}

	if _, err := Changed([]File{{at("new"), nil}}, "seam test", ours); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	never := func([]byte) bool { return false }
	if _, err := Changed([]File{{at("same"), nil}}, "seam test", never); err == nil || !strings.Contains(err.Error(), "was not written by seam test") {
		t.Errorf("a file of others: %v", err)
	}
	// Nothing is written where one can't be, or once the user has interrupted.
	if err := w.WriteFiles(t.Context(), []File{{at("first"), nil}, {at("new"), nil}}, nil); err == nil {
		t.Error("a folder was written")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := w.WriteFiles(stopped, []File{{at("first"), nil}}, nil); err == nil || !strings.Contains(err.Error(), "0 of 1 files are written") {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := os.Stat(at("first")); err == nil {
		t.Error("first was written")
	}
}
