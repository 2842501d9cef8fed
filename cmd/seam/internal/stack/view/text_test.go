package view

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// golden compares got with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s differs at line %d:\n got %s\n(go test -update rewrites it; look at the difference)", file, i+1, g[i])
		}
	}
	if len(w) != len(g) {
		t.Fatalf("%s has %d lines, got %d", file, len(w), len(g))
	}
}

var files = map[string]func() *report.File{"empty": empty, "small": small, "large": large, "hostile": hostile, "untimed": untimed, "nothing": func() *report.File { return &report.File{} }}

func textOf(t *testing.T, f *report.File, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func summaryOf(t *testing.T, f *report.File, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Summary(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const home = "/home/user/server"

func TestTextGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		f    *report.File
		o    TextOptions
	}{
		{"empty", empty(), TextOptions{}},
		{"small", small(), TextOptions{}},
		{"large", large(), TextOptions{Dir: home}},
		{"narrow", large(), TextOptions{Options: text.Options{Width: 80}, Dir: home}},
		{"all", large(), TextOptions{Options: text.Options{Width: 120}, All: true}},
		{"colour", large(), TextOptions{Options: text.Options{Width: 100, Colour: true}, Dir: home}},
		{"hostile", hostile(), TextOptions{}},
		{"untimed", untimed(), TextOptions{Options: text.Options{Width: 80}}},
	} {
		golden(t, c.name+".txt", textOf(t, c.f, c.o))
		golden(t, c.name+"-summary.txt", summaryOf(t, c.f, c.o))
	}
}

func TestTextKeepsItsWidth(t *testing.T) {
	for name, file := range files {
		for _, width := range []int{60, 80, 100, 120} {
			for _, colour := range []bool{false, true} {
				for _, all := range []bool{false, true} {
					o := TextOptions{Options: text.Options{Width: width, Colour: colour}, All: all, Dir: home}
					for line := range strings.Lines(textOf(t, file(), o) + summaryOf(t, file(), o)) {
						if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > width {
							t.Errorf("%s: a line of %d columns where there are %d: %s", name, w, width, line)
						}
					}
				}
			}
		}
	}
}

func TestTextHasNoControlCharacters(t *testing.T) {
	for name, file := range files {
		s := textOf(t, file(), TextOptions{}) + summaryOf(t, file(), TextOptions{})
		for _, r := range s {
			if r != '\n' && r < ' ' || r == 0x7f || r == '\u202e' || r == '\ufffd' {
				t.Errorf("%s: the text has a %q", name, r)
				break
			}
		}
	}
}

func TestSummaryIsShort(t *testing.T) {
	for name, file := range files {
		if n := strings.Count(summaryOf(t, file(), TextOptions{}), "\n"); n == 0 || n > 8 {
			t.Errorf("%s: the summary has %d lines", name, n)
		}
	}
}
