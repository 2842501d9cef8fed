package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func TestLabRefusesBeforeMeasuring(t *testing.T) {
	dir := t.TempDir()
	inDir := filepath.Join(dir, "no", "such", "folder.json")
	same := filepath.Join(dir, "same")
	for _, tt := range []struct {
		name string
		args []string
		says string
	}{
		{"unknown experiment", []string{"lab", "cal"}, "did you mean call?"},
		{"two are near", []string{"lab", "switchs", "grid"}, `unknown experiment "switchs" (did you mean switch?`},
		{"none is near", []string{"lab", "zzzzzzzz"}, "seam lab --list shows all"},
		{"quick and full", []string{"lab", "--quick", "--full"}, "--quick and --full can't be used together"},
		{"bad seed", []string{"lab", "--seed", "x"}, "--seed"},
		{"seed below 0", []string{"lab", "--seed=-1"}, "from 0 to 18446744073709551615"},
		{"seed below 0, as two words", []string{"lab", "--seed", "-1"}, "from 0 to 18446744073709551615"},
		{"no seed", []string{"lab", "--seed"}, "the seed is missing"},
		{"seed too large", []string{"lab", "--seed", "18446744073709551616"}, "from 0 to 18446744073709551615"},
		{"empty name", []string{"lab", "slow", "--html", ""}, "--html: the file's name is empty"},
		{"empty name after =", []string{"lab", "slow", "--json="}, "--json: the file's name is empty"},
		{"list of an unknown one", []string{"lab", "--list", "cal"}, "did you mean call?"},
		{"list to a file", []string{"lab", "--list", "--json", same}, "--list measures nothing that --json could write"},
		{"unwritable json", []string{"lab", "slow", "--json", inDir}, inDir},
		{"unwritable html", []string{"lab", "slow", "--html", dir}, dir},
		{"two to standard output", []string{"lab", "slow", "--json", "-", "--benchfmt", "-"}, "--benchfmt and --json both write to -"},
		{"two by other names", []string{"lab", "slow", "--json", "-", "--html", "/dev/stdout"}, "both write to"},
		{"two to one file", []string{"lab", "slow", "--json", same, "--html", dir + "/./same"}, "both write to"},
		{"unknown verb", []string{"lob"}, "unexpected argument lob"},
		{"unknown flag", []string{"lab", "--fast"}, "unknown flag --fast"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seam(t, tt.args...).must(t, exitUsage, "", tt.says)
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestLabList(t *testing.T) {
	seam(t, "lab", "--list").must(t, exitOK, "call       call under test\n", "")
	if c := seam(t, "lab", "--list", "all"); c.out != seam(t, "lab", "--list").out {
		t.Errorf("list of all: %q", c.out)
	}
	seam(t, "lab", "--list", "all", "cal").must(t, exitUsage, "", "did you mean call?")
	if c := seam(t, "lab", "--list", "grid", "call"); c.out != "call       call under test\ngrid       grid under test\n" {
		t.Errorf("list of two: %q", c.out)
	}
}

func TestLabWritesAllFormats(t *testing.T) {
	dir := t.TempDir()
	json, html, bench := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.html"), filepath.Join(dir, "r.txt")
	c := seam(t, "lab", "--quick", "--all", "--seed", "7", "grid", "call", "--json", json, "--html", html, "--benchfmt", bench)
	c.must(t, exitOK, "Call/via=cgo", "")
	if strings.Index(c.out, "call under test") > strings.Index(c.out, "grid under test") {
		t.Error("the experiments are not in the order of the list")
	}
	if strings.Contains(c.out, "\x1b") {
		t.Error("escape sequences in what is not a terminal")
	}
	for file, want := range map[string]string{html: "</html>", bench: "BenchmarkCall/via=go", json: result.Schema} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v)", file, want, err)
		}
	}
	f, err := os.Open(json)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run, err := result.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if run.Seed != 7 || run.Mode != "quick" || run.Seam == "" || run.Leaf == "" || run.Machine.Go == "" || len(run.Experiments) != 2 {
		t.Errorf("head of the run: %+v", run)
	}
}

// With - for a report, the table makes way for it.
func TestLabToStandardOutput(t *testing.T) {
	for flag, want := range map[string]string{"--json": result.Schema, "--benchfmt": "BenchmarkCall/via=go", "--html": "<!"} {
		c := seam(t, "lab", "--quick", "call", flag, "-")
		c.must(t, exitOK, want, "call under test")
		if flag == "--benchfmt" && strings.Contains(c.out, "call under test") {
			t.Errorf("%s: the table is on standard output too", flag)
		}
	}
}

func TestLabFailures(t *testing.T) {
	for _, tt := range []struct {
		args      []string
		out, says string
	}{
		{[]string{"lab", "nothing"}, "no such hardware", "nothing could be measured"},
		{[]string{"lab", "--all", "crash", "call"}, "Call/via=go", "experiment crash, round 1: the worker died while it measured C and its group: exit status 7"},
	} {
		seam(t, append(tt.args, "--quick")...).must(t, exitFailed, tt.out, tt.says)
	}
	// A row that says why is no failure where there are other rows.
	seam(t, "lab", "--quick", "call", "nothing").must(t, exitOK, "no such hardware", "")
}

// Of several experiments a line each is printed, and how to see more.
func TestLabSummary(t *testing.T) {
	c := seam(t, "lab", "--quick", "call", "grid", "nothing")
	c.must(t, exitOK, "Tables: --all", "")
	if lines := strings.Count(c.out, "\n"); lines > 12 || !strings.Contains(c.out, "call  ") || strings.Contains(c.out, "Call/via=go") || !strings.Contains(c.out, "no such hardware") {
		t.Errorf("%d lines:\n%s", lines, c.out)
	}
	seam(t, "lab", "--quick", "--terse", "nothing").must(t, exitFailed, "no such hardware", "the lines above say why")
	seam(t, "lab", "--quick", "--published", "call").must(t, exitOK, "one C call through cgo", "")
}

func TestLabFor(t *testing.T) {
	seam(t, "lab", "--quick", "--for=-1s", "call").must(t, exitUsage, "", "want a time like 2m")
	start := time.Now()
	c := seam(t, "lab", "--for", "2s", "call", "grid")
	if c.code != exitOK || !strings.Contains(c.out, "Tables: --all") { // what a busy machine leaves out is said on standard error
		t.Errorf("code %d, standard output:\n%s\nstandard error:\n%s", c.code, c.out, c.errout)
	}
	if took := time.Since(start); took > 8*time.Minute { // the normal mode would take nine minutes where nothing else runs
		t.Errorf("it took %v", took)
	}
}

func TestLabVerbose(t *testing.T) {
	c := seam(t, "lab", "--quick", "call")
	c.must(t, exitOK, "", "")
	if strings.Contains(c.out, "About call.") {
		t.Error("the paragraph about an experiment is there without --verbose")
	}
	seam(t, "lab", "--quick", "--verbose", "call").must(t, exitOK, "About call.", "")
}

func TestLabTwoToOneFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Symlink("same.out", "link"); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"same.out", "./same.out", filepath.Join(dir, "same.out"), "link"} {
		seam(t, "lab", "slow", "--json", "same.out", "--html", other).must(t, exitUsage, "", "--json and --html both write to "+other)
	}
}

func TestLabInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	seamIn(ctx, "", synthetic, "lab", "--quick", "call").must(t, exitInterrupted, "", "interrupted before anything was measured")

	// The fast case is through when the probe begins that waits to be cancelled.
	begun := filepath.Join(t.TempDir(), "begun")
	t.Setenv(begunEnv, begun)
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() {
		untilThere(begun)
		cancel()
	}()
	json := filepath.Join(t.TempDir(), "r.json")
	c := seamIn(ctx, "", synthetic, "lab", "--quick", "slow", "--json", json)
	c.must(t, exitInterrupted, "S/fast", "interrupted: the figures are of what was finished")
	if !strings.Contains(c.errout, "seam: stopping; Ctrl-C again loses the results\n") {
		t.Errorf("nothing was said at the first Ctrl-C: %q", c.errout)
	}
	if text, err := os.ReadFile(json); err != nil || !strings.Contains(string(text), `"interrupted": true`) {
		t.Errorf("the file does not say that the run was interrupted (%v)", err)
	}
}
