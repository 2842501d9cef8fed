package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seamgo/seam/internal/testenv"
)

// Every example that a help shows can be typed as it stands.
func TestExamplesInHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	seam(t, "lab", "--quick", "call", "--json", "old.json", "--benchfmt", "old.txt").must(t, exitOK, "", "")
	seam(t, "lab", "--quick", "call", "--json", "new.json", "--benchfmt", "new.txt").must(t, exitOK, "", "")
	ran := 0
	for _, verb := range [][]string{{}, {"lab"}, {"lab", "compare"}, {"doctor"}, {"headers"}, {"version"}} {
		help := seam(t, append(verb, "-h")...)
		help.must(t, exitOK, "Examples:", "")
		_, examples, _ := strings.Cut(help.out, "Examples:\n")
		examples, _, _ = strings.Cut(examples, "\n\n")
		for line := range strings.Lines(examples) {
			if strings.Contains(line, "&&") {
				continue // a line of the shell about a program of the user's; TestTrace and weldtest are about that
			}
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "seam" {
				t.Errorf("%v: example %q is no call of seam", verb, line)
				continue
			}
			// Figures are not what this test is about: a slowdown is fine.
			if c := seamIn(t.Context(), "", synthetic[:4], words[1:]...); c.code != exitOK && c.code != exitFinding {
				t.Errorf("%q ends with %d:\n%s%s", line, c.code, c.out, c.errout)
			}
			ran++
		}
	}
	if ran < 10 {
		t.Errorf("%d examples found", ran)
	}
}

// What the help of the verbs for a program's C calls says fits a terminal of 80 columns;
// examples are one line each.
func TestHelpFitsATerminal(t *testing.T) {
	for _, verb := range []string{"try", "trace", "plan", "weld", "explain", "leaks", "toolexec"} {
		for line := range strings.Lines(seam(t, verb, "-h").out) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && !strings.HasPrefix(line, "  seam ") {
				t.Errorf("seam %s -h has a line of %d columns: %s", verb, n, line)
			}
		}
	}
}

func TestHelpNamesWhatUsersType(t *testing.T) {
	for _, args := range [][]string{{"lab", "-h"}, {"lab", "--help", "call"}, {"lab", "call", "-h"}} {
		c := seam(t, args...)
		c.must(t, exitOK, "Usage: seam lab [<experiment> ...] [flags]", "")
		for _, want := range []string{"--quick", "--seed=N", "lab compare", "  spawn       spawn under test"} {
			if !strings.Contains(c.out, want) {
				t.Errorf("%v: the help lacks %q", args, want)
			}
		}
		if strings.Contains(c.out, "measure [") || strings.Contains(c.out, "worker") {
			t.Errorf("%v: the help shows what is hidden:\n%s", args, c.out)
		}
	}
	seam(t).must(t, exitOK, "Usage: seam <command>", "")
}

func TestVersion(t *testing.T) {
	seam(t, "version").must(t, exitOK, "seam ", "")
}

func TestConclude(t *testing.T) {
	var b bytes.Buffer
	if code := conclude(&b, nil); code != exitOK || b.Len() > 0 {
		t.Errorf("no error: code %d, %q", code, b.String())
	}
	err := withCode(exitFailed, errors.Join(errors.New("one\n\tits tail"), errors.New("two")))
	if code := conclude(&b, err); code != exitFailed || b.String() != "seam: one\n\tits tail\nseam: two\n" {
		t.Errorf("code %d, %q", code, b.String())
	}
}

func TestExitCodesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(testenv.Repository(t), "docs/exit-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{exitOK, exitFinding, exitUsage, exitFailed, exitInterrupted, exitReaderGone} {
		if !strings.Contains(string(doc), fmt.Sprintf("\n| %d |", code)) {
			t.Errorf("docs/exit-codes.md lacks code %d", code)
		}
		if !strings.Contains(exitHelp, fmt.Sprintf("\n  %-3d  ", code)) {
			t.Errorf("the help lacks code %d", code)
		}
	}
}
