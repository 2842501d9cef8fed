//go:build gc && (amd64 || arm64)

package swap

import "testing"

// paths lists what the functions can take here.
func paths() []string {
	if supported() {
		return []string{instructions, "portable"}
	}
	return []string{"portable"}
}

// take makes the functions take a path until the test ends.
func take(tb testing.TB, path string) {
	before := vectors
	vectors = path == instructions
	tb.Cleanup(func() { vectors = before })
	if Path() != path {
		tb.Fatalf("the path is %s, want %s", Path(), path)
	}
}
