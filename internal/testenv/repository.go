package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// Tree is a digest of the repository's files, from internal/ci. The go command keeps a test's
// result until a file of its own module changes, or a variable that the test has read.
const Tree = "SEAM_TREE"

// Repository is for a test that reads files of the repository beyond its own module, as
// documents: it returns the repository's root. Where only the module is, the test is skipped.
func Repository(t testing.TB) string {
	t.Helper()
	_ = os.Getenv(Tree)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Skip("it reads files outside of its module, and only the module is here")
		}
	}
}
