package doctest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// retired are words that only we used, and what is said instead.
var retired = []struct {
	word    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bdemot(e|es|ed|ing)\b`), "fall back to cgo"},
	{regexp.MustCompile(`(?i)\bends?\b[^.:;|]* in words\b`), "exits with an explanation"},
	{regexp.MustCompile(`(?i)\bmend(s|ed|ing)?\b`), "fix"},
	{regexp.MustCompile(`(?i)\bstand-ins?\b`), "trampoline, or what it is"},
	{regexp.MustCompile(`(?i)\b(tells?|told) whether\b`), "reports whether"},
	{regexp.MustCompile(`(?i)\bwhoever\b`), "a noun"},
	{regexp.MustCompile(`(?i)\bwider than necessary\b`), "the intervals are wide"},
}

func TestRetiredWordsStayAway(t *testing.T) {
	if words := retiredIn("whoever\n`mend` and [a link](stand-in.md)\nIt ends, as it must, in words."); len(words) != 2 {
		t.Errorf("of a text with two retired words, and two that are names, these are found: %q", words)
	}
	for name, text := range read(t, ".md") {
		for _, found := range retiredIn(text) {
			t.Errorf("%s: %s", name, found)
		}
	}
}

// In code the words stay away from names, comments and what is printed. Some that the documents
// don't have are names in interfaces: the state "demoted" of package weld, _seamweld_standins_v1.
var (
	retiredInCode = regexp.MustCompile(`\b[Tt]ells whether\b|\b[Ww]hoever\b|\bends?\b[^.:;|"]*\bin words\b|\bwider than necessary\b`)
	// mend in any form, and as a part of a name.
	mend = regexp.MustCompile(`\b[mM]end(s|ed|ing)?(\b|[A-Z_])|[a-z]Mend(s|ed|ing)?(\b|[A-Z_])`)
	// The key in files of older versions, and what seam vet --fix is made of.
	mendStays = regexp.MustCompile("json:\"mend[,\"]|^cmd/seam/internal/(vet/|cli/vet)")
	// A file without any of these has no retired word, which is quicker to see.
	rareParts = []string{"ells whether", "hoever", "in words", "wider than", "mend", "Mend"}
)

func TestRetiredWordsStayAwayFromCode(t *testing.T) {
	for line, want := range map[string]string{
		"a.go: // has tells whether it is":               "tells whether",
		"a.h: /* The program ends, then, in words. */":   "ends, then, in words",
		"a.go: const mendShown = 1":                      "mendS",
		"a.go: Fix string `json:\"mend\"`":               "",
		"cmd/seam/internal/vet/mend.go: type Mended int": "",
		"a.go: // recommended amends":                    "",
	} {
		name, text, _ := strings.Cut(line, ": ")
		if got := retiredWord(name, text); got != want {
			t.Errorf("%s: found %q, want %q", line, got, want)
		}
	}
	for name, text := range read(t, ".go", ".c", ".cc", ".cpp", ".h", ".s", ".py") {
		if name == "internal/doctest/words_test.go" || !slices.ContainsFunc(rareParts, func(part string) bool { return strings.Contains(text, part) }) {
			continue
		}
		n := 0
		for line := range strings.Lines(text) {
			n++
			if word := retiredWord(name, line); word != "" {
				t.Errorf("%s:%d: %q: internal/doctest/words_test.go says what to say instead", name, n, word)
			}
		}
	}
}

// retiredWord is the first retired word in a line of code, or "".
func retiredWord(name, line string) string {
	if word := retiredInCode.FindString(line); word != "" {
		return word
	}
	if mendStays.MatchString(name) || mendStays.MatchString(line) {
		return ""
	}
	return mend.FindString(line)
}

// retiredIn is what a text has of the retired words, but for code and for where links lead.
func retiredIn(text string) (found []string) {
	text = fence.ReplaceAllString(text, "")
	text = quoted.ReplaceAllString(text, "")
	text = link.ReplaceAllString(text, "]")
	for line := range strings.Lines(text) {
		for _, r := range retired {
			if m := r.word.FindString(line); m != "" {
				found = append(found, m+": say "+r.instead)
			}
		}
	}
	return found
}
