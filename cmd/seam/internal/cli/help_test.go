package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

// visible are the verbs that the help lists, with those below them.
func visible(t *testing.T) (list [][]string) {
	t.Helper()
	t.Setenv("COMP_LINE", "seam ")
	top := strings.Fields(seam(t).out)
	for _, verb := range top {
		list = append(list, []string{verb})
		t.Setenv("COMP_LINE", "seam "+verb+" ")
		for _, below := range strings.Fields(seam(t).out) {
			if verb == "gen" || verb == "stack" || below == "compare" {
				list = append(list, []string{verb, below})
			}
		}
	}
	t.Setenv("COMP_LINE", "")
	if len(list) < 15 {
		t.Fatalf("%d verbs: %v", len(list), list)
	}
	return list
}

// At 60 columns no line is longer, so that the terminal breaks no word. Commands that are
// there to be copied may be.
func TestHelpIsNarrow(t *testing.T) {
	verbs := append(visible(t), nil)
	t.Setenv("COLUMNS", "60")
	for _, verb := range verbs {
		commands := false
		for line := range strings.Lines(seam(t, append(verb, "-h")...).out) {
			line = strings.TrimSuffix(line, "\n")
			commands = line == "Examples:" || commands && line != ""
			if utf8.RuneCountInString(line) > 60 && !commands && !strings.HasPrefix(line, "Usage:") {
				t.Errorf("seam %s -h has a line of more than 60 columns: %s", strings.Join(verb, " "), line)
			}
		}
	}
}

func TestHelpVerb(t *testing.T) {
	for _, c := range []struct{ asked, same string }{{"help", "-h"}, {"help lab", "lab -h"}, {"help lab compare", "lab compare -h"}, {"help stack record", "stack trace -h"}, {"--version", "version"}} {
		got, want := seam(t, strings.Fields(c.asked)...), seam(t, strings.Fields(c.same)...)
		if got.code != exitOK || got.out != want.out {
			t.Errorf("seam %s says (code %d)\n%s\nseam %s says\n%s", c.asked, got.code, got.out, c.same, want.out)
		}
	}
	seam(t, "help", "layuot").must(t, exitUsage, "", "layout")
	top := seam(t, "help").out
	for _, hidden := range []string{"toolexec", "headers", "lab-worker"} {
		if strings.Contains(top, hidden) {
			t.Errorf("the help shows %s", hidden)
		}
	}
	if strings.Contains(seam(t, "help", "lab").out, "Exit codes:") || !strings.Contains(top, "Exit codes:") {
		t.Error("exit codes stand in the program's own help, and there alone")
	}
}

// What is missing is said in words, with a call that has it.
func TestMissingArguments(t *testing.T) {
	for args, want := range map[string]string{
		"weld":        "seam weld needs the go command: go build, install, run or test with its arguments, after --",
		"cross":       "seam cross needs --target=linux/ARCH (seam cross -h shows more)\n\tfor example: seam cross --target",
		"stack":       "seam stack needs one of trace, frames, limits",
		"gen":         "for example: seam gen ",
		"lab compare": "for example: seam lab compare ",
	} {
		c := seam(t, strings.Fields(args)...)
		c.must(t, exitUsage, "", want)
		if strings.Contains(c.errout, "expected") || strings.Contains(c.errout, "<") {
			t.Errorf("seam %s: %s", args, c.errout)
		}
	}
}

func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"seam la":             "lab layout",
		"seam lab c":          "compare call crash",
		"seam lab --te":       "--terse",
		"seam stack ":         "trace frames limits",
		"seam layout --lang ": "c c++",
		"seam completion ":    "bash zsh fish",
		"seam weld --plan s":  "",
		"seam trace -- go --": "",
		"sea":                 "",
	} {
		t.Setenv("COMP_LINE", line)
		c := seam(t)
		if got := strings.Join(strings.Fields(c.out), " "); c.code != exitOK || got != want {
			t.Errorf("%q: %q, want %q (%s)", line, got, want, c.errout)
		}
	}
	t.Setenv("COMP_LINE", "")
	for _, shell := range []string{"bash", "zsh", "fish"} {
		seam(t, "completion", shell).must(t, exitOK, "seam", "")
	}
	seam(t, "completion", "tcsh").must(t, exitUsage, "", `must be one of "bash","zsh","fish"`)
}

func TestManualPage(t *testing.T) {
	c := seam(t, "man")
	c.must(t, exitOK, ".TH SEAM 1", "")
	for _, verb := range visible(t) {
		if want := "\n.SS seam " + strings.Join(verb, " ") + "\n"; !strings.Contains(c.out, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for line := range strings.Lines(c.out) {
		if strings.HasPrefix(line, "'") || strings.Contains(line, `\ `) {
			t.Errorf("this would be a command: %s", line)
		}
	}
}

func TestNarrow(t *testing.T) {
	const help = "Examples:\n  seam a very long command that is to be copied\n\nSome words that are longer than\nthe line.\n" +
		"  NAME=x  does what takes many words\n          to say\n  B       short\n"
	const want = "Examples:\n  seam a very long command that is to be copied\n\nSome words that are longer\nthan the line.\n" +
		"  NAME=x  does what takes many\n          words to say\n  B       short\n"
	if got := narrow(help, 30); got != want {
		t.Errorf("narrow:\n%s\nwant\n%s", got, want)
	}
	if got := narrow(help, 100); got != help {
		t.Errorf("changed where there is room:\n%s", got)
	}
}

func TestReaderGone(t *testing.T) {
	gone := &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	for _, c := range []struct {
		err  error
		code int
		says bool
	}{
		{gone, exitReaderGone, false},
		{withCode(exitFailed, fmt.Errorf("cannot write: %w", gone)), exitReaderGone, false},
		{errors.Join(gone, withCode(exitFailed, gone)), exitReaderGone, false},
		{errors.Join(gone, withCode(exitFinding, errors.New("slower"))), exitFinding, true},
		{errors.New("broken pipe"), exitUsage, true},
	} {
		var said strings.Builder
		if code := conclude(&said, c.err); code != c.code || (said.Len() > 0) != c.says {
			t.Errorf("%v: code %d, want %d; said %q", c.err, code, c.code, said.String())
		}
	}
}

// On a terminal a verb ends with the page that it wrote and what people do next; in a log it
// doesn't.
func TestTips(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tips := range []bool{true, false} {
		var out, errout strings.Builder
		s := testSession(t.Context(), strings.NewReader(""), &out, &errout)
		s.tips = tips
		if err := s.run([]string{"lab", "--quick", "call", "--html", "page.html"}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(errout.String(), "wrote page.html") && strings.Contains(errout.String(), "next: seam trace"); got != tips {
			t.Errorf("tips %v: %q", tips, errout.String())
		}
		if err := os.Remove("page.html"); err != nil {
			t.Fatal(err)
		}
	}
}

// Who follows a line "next: seam …" types a call that exists.
func TestTipsNameVerbs(t *testing.T) {
	var v verbs
	for _, verb := range []interface{ next() string }{&v.Lab.Measure, &v.Lab.Compare, &v.Doctor, &v.Trace, &v.Plan, &v.Weld, &v.Explain, &v.Vet, &v.Leaks, &v.Layout,
		&v.Stack.Trace, &v.Stack.Frames, &v.Stack.Limits, &v.Cross, &v.Gen.Go} {
		words := strings.Fields(verb.next())
		if len(words) < 3 || words[0] != "seam" {
			if len(words) == 0 {
				t.Errorf("%T has no next step", verb)
			}
			continue
		}
		path := words[1:2]
		if words[1] == "stack" {
			path = words[1:3]
		}
		seam(t, append(path, "-h")...).must(t, exitOK, "Usage: seam "+words[1], "")
	}
}
