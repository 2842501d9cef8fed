package gotool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Go in the module cache is linked to, since the go command overlays nothing there.
func TestOverlayRoot(t *testing.T) {
	dir := t.TempDir()
	cache, links := filepath.Join(dir, "mod"), filepath.Join(dir, "links")
	fetched := filepath.Join(cache, "golang.org", "toolchain@v0.0.1-go1.99.0.linux-amd64")
	if err := os.MkdirAll(fetched, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fetched, "VERSION"), []byte("go1.99.0"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := OverlayRoot(fetched, cache, links)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(got, "VERSION")); strings.HasPrefix(got, cache) || string(text) != "go1.99.0" {
			t.Errorf("%s becomes %s: %q, %v", fetched, got, text, err)
		}
	}
	for _, root := range []string{"/usr/local/go", cache + "-other/go"} {
		if got, err := OverlayRoot(root, cache, links); got != root || err != nil {
			t.Errorf("%s becomes %s: %v", root, got, err)
		}
	}
}
