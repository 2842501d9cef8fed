package doctest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var translations = []string{"README.zh-CN.md", "README.ru.md", "docs/tour.zh-CN.md", "docs/tour.ru.md"}

// originalOf is the English document, and suffix the language's.
func originalOf(name string) (original, suffix string) {
	base, rest, _ := strings.Cut(name, ".")
	return base + ".md", "." + rest
}

// fixed are the parts of a line that no language changes: code, where links lead, and
// figures.
var fixed = regexp.MustCompile("`[^`]+`|\\]\\([^)]+\\)|\\d[\\d.,]*")

// A translation has the lines of the original, and in each line the same commands, links
// and figures, in whatever order its grammar wants. Headings are anchors, and so they
// aren't compared beyond their level.
func TestTranslationsAgree(t *testing.T) {
	files := read(t, ".md")
	for _, name := range translations {
		english, language := originalOf(name)
		original := strings.Split(files[english], "\n")
		lines := strings.Split(files[name], "\n")
		if len(lines) != len(original) {
			t.Errorf("%s has %d lines, %s %d", name, len(lines), english, len(original))
		}
		code := false
		for i := range min(len(lines), len(original)) {
			fence := strings.HasPrefix(original[i], "```")
			if fence || code {
				if command(lines[i]) != command(original[i]) {
					t.Errorf("%s:%d: %q, in %s %q", name, i+1, lines[i], english, original[i])
				}
				code = code != fence
				continue
			}
			// A translation leads to documents in its own language where there are any.
			line := strings.ReplaceAll(lines[i], "tour"+language, "tour.md")
			if got, want := marks(line), marks(strings.ReplaceAll(original[i], "tour"+language, "tour.md")); !slices.Equal(got, want) {
				t.Errorf("%s:%d: %q, in %s %q", name, i+1, got, english, want)
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
