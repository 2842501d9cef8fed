//go:build unix

package main

import "testing"

// Without git the tests run all the same, and anew.
func TestNoRepository(t *testing.T) {
	t.Chdir(t.TempDir())
	first, err := tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second, err := tree(t.Context()); err != nil || second == first {
		t.Errorf("%q and %q, %v", first, second, err)
	}
}
