package cli

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/leaf"
)

// explained makes a module whose package calls C.
func explained(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{"GOWORK": "off", "GOFLAGS": "", "CGO_ENABLED": "1"} {
		t.Setenv(name, value)
	}
	writeFile(t, "go.mod", "module example.com/small\n\ngo 1.25\n")
	writeFile(t, "small.go", "package small\n\n// static int twice(int n) { return 2 * n; }\nimport \"C\"\n\nfunc Twice(n int) int { return int(C.twice(C.int(n))) }\n")
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestExplain(t *testing.T) {
	testenv.OtherProgram(t)
	explained(t)
	seam(t, "explain", ".").must(t, exitOK, "int twice(int)", "")
	seam(t, "explain", "--no-measure", "..twice").must(t, exitOK, "not measured", "")
	if leaf.Status().Path != leaf.PathNone {
		seam(t, "explain", "..twice").must(t, exitOK, "Figures: a quick run just now", "seam: measuring what a call is made of here")
	}
	seam(t, "explain", "--no-measure", ".twice").must(t, exitOK, "How a call of twice travels", "")
	seam(t, "explain", "..twice", "--no-measure", "--html", "call.html").must(t, exitOK, "", "")
	page, err := os.ReadFile("call.html")
	if err != nil || !strings.Contains(string(page), "How a call of twice travels") {
		t.Errorf("call.html: %v", err)
	}
	seam(t, "explain", "..twice", "--no-measure", "--html", "-").must(t, exitOK, "<!DOCTYPE html>", "")

	// What lies in the module's root is read.
	writeFile(t, "seam.plan", "leaf example.com/small.twice budget=7us # for a test\n")
	seam(t, "explain", "--no-measure", "..twice").must(t, exitOK, "budget=7us # for a test", "")
	seam(t, "explain", "--no-measure", "..twice").must(t, exitOK, "7000ull", "")
	writeFile(t, "seam.lab.json", "{")
	seam(t, "explain", "--no-measure", "..twice").must(t, exitOK, "! seam.lab.json is left out:", "")
}

func TestExplainErrors(t *testing.T) {
	testenv.OtherProgram(t)
	explained(t)
	writeFile(t, "bad", "?")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{}, "seam explain -h"},
		{[]string{"..twise"}, "did you mean twice?"},
		{[]string{"./nowhere"}, "there is no package"},
		{[]string{"twice"}, "there is no package twice here; want PACKAGE or PACKAGE.FUNCTION"},
		{[]string{"..twice", "--plan", "bad"}, "bad:1"},
		{[]string{"..twice", "--trace", "bad"}, "bad: not a trace"},
		{[]string{"..twice", "--lab", "bad"}, "bad: "},
		{[]string{"..twice", "--lab", "missing"}, "missing"},
		{[]string{"..twice", "--html", "none/x.html"}, "--html: "},
	} {
		seam(t, append([]string{"explain"}, c.args...)...).must(t, exitUsage, "", c.says)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	seamIn(ctx, "", synthetic, "explain", "..twice").must(t, exitInterrupted, "", "interrupted")
}

// A program whose packages call no C may have dependencies that do; and what tables show of a
// function's name is enough.
func TestExplainDependencies(t *testing.T) {
	testenv.OtherProgram(t)
	explained(t)
	if err := os.Mkdir("cmd", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "cmd/main.go", "package main\n\nimport \"example.com/small\"\n\nfunc main() { println(small.Twice(1)) }\n")
	c := seam(t, "explain", "./cmd")
	c.must(t, exitOK, "Who calls C here", "")
	if !strings.Contains(c.out, "example.com/small") || !strings.Contains(strings.Join(strings.Fields(c.out), " "), "1 package does:") {
		t.Errorf("it says\n%s", c.out)
	}
	// A program that calls C itself has them too.
	writeFile(t, "cmd/own.go", "package main\n\n// static int thrice(int n) { return 3 * n; }\nimport \"C\"\n\nfunc init() { println(C.thrice(1)) }\n")
	c = seam(t, "explain", "./cmd")
	c.must(t, exitOK, "int thrice(int)", "")
	if _, others, ok := strings.Cut(c.out, "What it depends on"); !ok || !strings.Contains(others, "\nexample.com/small ") || strings.Contains(others, "\nexample.com/small/cmd ") {
		t.Errorf("it says\n%s", c.out)
	}
	if c := seam(t, "explain", "."); strings.Contains(c.out, "What it depends on") {
		t.Errorf("nothing else calls C, and it says\n%s", c.out)
	}
	seam(t, "explain", "--no-measure", "small.twice").must(t, exitOK, "How a call of twice travels", "")
	seam(t, "explain", "small").must(t, exitOK, "int twice(int)", "")
	// What only a test uses is in a trace of the tests.
	if err := os.Mkdir("other", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "other/go.mod", "module example.com/other\n\ngo 1.25\n\nrequire example.com/small v0.0.0\n\nreplace example.com/small => ../\n")
	writeFile(t, "other/a_test.go", "package other\n\nimport (\n\t\"testing\"\n\n\t\"example.com/small\"\n)\n\nfunc BenchmarkTwice(*testing.B) { small.Twice(1) }\n")
	t.Chdir("other")
	seam(t, "explain", "--no-measure", "small.twice").must(t, exitOK, "How a call of twice travels", "")
	seam(t, "explain", "large.twice").must(t, exitUsage, "", "there is neither a package large.twice nor a package large here")
}
