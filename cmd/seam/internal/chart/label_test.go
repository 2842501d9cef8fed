package chart

import (
	"slices"
	"testing"
)

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		s     string
		lines int
		want  []string
	}{
		{"", 2, nil},
		{"short", 2, []string{"short"}},
		{"cgo call with noescape", 2, []string{"cgo call with", "noescape"}},
		{"cgo call with noescape and nocallback", 2, []string{"cgo call with", "noescape and…"}},
		{"averyverylongwordwithoutspaces", 2, []string{"averyverylong…"}},
	} {
		if got := wrapped(c.s, 10, 80, c.lines); !slices.Equal(got, c.want) {
			t.Errorf("wrapped(%q) = %q, want %q", c.s, got, c.want)
		}
	}
}
