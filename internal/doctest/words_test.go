package doctest

import (
	"regexp"
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
