package main

import (
	"os"
	"strings"
	"testing"
)

// Whoever changes a figure in the README draws it again.
func TestPicturesShowWhatTheReadmeSays(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := draw(string(readme))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pictures {
		got, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s doesn't show the figures of README.md: make pictures", name)
		}
		if !strings.Contains(string(readme), name) {
			t.Errorf("README.md doesn't show %s", name)
		}
	}
}

func TestFigure(t *testing.T) {
	for cell, want := range map[string]string{
		" 2.4 ns ": "2.4 ns", " 0.94 or 1.2 ns, depending on the linker": "0.94 ns", " 807 µs ": "807 µs", " the same ": "", "": "", " 12 ": "",
	} {
		words, ns, err := figure(cell)
		if words != want || (err == nil) != (want != "") || want != "" && ns <= 0 {
			t.Errorf("%q: %q, %v, %v; want %q", cell, words, ns, err, want)
		}
	}
}

func TestMissingRowIsAnError(t *testing.T) {
	if _, err := draw("| C call through `leaf` | 2.4 ns | |\n"); err == nil {
		t.Error("a picture was drawn without its figures")
	}
}
