package main

import (
	"strings"
	"testing"
)

func TestBrokenOnOneSystem(t *testing.T) {
	t.Setenv("CGO_ENABLED", "0")
	const folder = "./testdata/broken"
	if err := check(t.Context(), "linux/arm64", []string{folder}); err != nil {
		t.Error(err)
	}
	err := check(t.Context(), "windows/amd64", []string{folder})
	if err == nil || !strings.Contains(err.Error(), "broken.go:4:") {
		t.Errorf("a program that does not compile: %v", err)
	}
	if err := check(t.Context(), "linux/amd64", []string{"./testdata/gone"}); err == nil {
		t.Error("no error for a folder that is gone")
	}
}
