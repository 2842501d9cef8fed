//go:build !(gc && (amd64 || arm64))

package swap

import "testing"

// paths lists what the functions can take here.
func paths() []string { return []string{Path()} }

// take makes the functions take a path until the test ends: there is one only.
func take(tb testing.TB, path string) {
	if Path() != path {
		tb.Fatalf("the path is %s, want %s", Path(), path)
	}
}
