package doctest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// written is a figure that internal/figures writes, with its comments.
	written = regexp.MustCompile(`(?s)<!--=.*?<!--/-->`)
	figure  = regexp.MustCompile(`\d[\d.,]*(?:–[\d.,]+)? ?(?:ns|µs|ms|×|KiB|MiB)(?:$|[^\p{L}])`)
	quoting = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
)

// The documents that a newcomer reads have no time, size or ratio but those that a command
// has measured: docs/results has them, and go run ./internal/figures writes them.
func TestFiguresAreMeasured(t *testing.T) {
	files := read(t, ".md")
	for _, name := range append([]string{"README.md", "docs/tour.md"}, translations...) {
		text := files[name]
		if !written.MatchString(text) {
			t.Errorf("%s has no figure that a command wrote", name)
		}
		text = quoting.ReplaceAllString(written.ReplaceAllString(text, ""), "")
		for line := range strings.Lines(text) {
			if found := figure.FindAllString(line, -1); !slices.Equal(found, nil) {
				t.Errorf("%s: nothing has measured %q in: %s", name, found, line)
			}
		}
	}
}

func TestFigureIsSeen(t *testing.T) {
	for text, want := range map[string]bool{
		"takes 2.4 ns": true, "| 1.44× |": true, "24 KiB,": true, "0.97–1.04×": true, "1,049 µs.": true,
		"128 bytes": false, "in 2 nsec": false, "Go 1.26": false, "10,004 threads": false,
	} {
		if figure.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
