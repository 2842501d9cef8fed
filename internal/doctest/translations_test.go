package doctest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var translations = []string{"README.zh-CN.md", "README.ru.md"}

// fixed are the parts of a line that no language changes: code, where links lead, and
// figures.
var fixed = regexp.MustCompile("`[^`]+`|\\]\\([^)]+\\)|\\d[\\d.,]*")

// A translation has the lines of the original, and in each line the same commands, links
// and figures, in whatever order its grammar wants. Headings are anchors, and so they
// aren't compared beyond their level.
func TestTranslationsAgree(t *testing.T) {
	files := read(t, ".md")
	original := strings.Split(files["README.md"], "\n")
	for _, name := range translations {
		lines := strings.Split(files[name], "\n")
		if len(lines) != len(original) {
			t.Errorf("%s has %d lines, README.md %d", name, len(lines), len(original))
		}
		code := false
		for i := range min(len(lines), len(original)) {
			fence := strings.HasPrefix(original[i], "```")
			if fence || code {
				if command(lines[i]) != command(original[i]) {
					t.Errorf("%s:%d: %q, in README.md %q", name, i+1, lines[i], original[i])
				}
				code = code != fence
				continue
			}
			if got, want := marks(lines[i]), marks(original[i]); !slices.Equal(got, want) {
				t.Errorf("%s:%d: %q, in README.md %q", name, i+1, got, want)
			}
		}
	}
}

var comment = regexp.MustCompile(` +# .*$`)

// command is a line of code without what is said about it.
func command(line string) string { return comment.ReplaceAllString(line, "") }

// marks are the fixed parts of a line, sorted, with how the line begins.
func marks(line string) []string {
	var list []string
	for _, m := range fixed.FindAllString(line, -1) {
		list = append(list, strings.TrimRight(m, ".,"))
	}
	slices.Sort(list)
	first, _, _ := strings.Cut(line, " ")
	if strings.Trim(first, "#-|") == "" {
		list = append(list, first)
	}
	return list
}
