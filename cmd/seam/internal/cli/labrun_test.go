package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A run of the user's benchmarks is compared with the last one of the same command, and a
// benchmark that allocates more is a finding on any machine.
func TestLabRun(t *testing.T) {
	testenv.OtherProgram(t)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOCACHE", strings.TrimSpace(goOutput(t, "env", "GOCACHE")))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bench := func(size string) {
		t.Helper()
		write("a_test.go", "package a\n\nimport \"testing\"\n\nvar sink []byte\n\nfunc BenchmarkMake(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink = make([]byte, "+size+")\n\t}\n}\n\n"+
			"func TestNever(t *testing.T) { t.Fatal(\"tests are not run\") }\n")
	}
	write("go.mod", "module example.com/a\n\ngo 1.25\n")
	bench("64")
	t.Chdir(dir)
	run := func(more ...string) called {
		t.Helper()
		args := append([]string{"lab", "run", "--rounds", "2", "--threshold", "50000%"}, more...)
		return seam(t, append(args, "--", "go", "test", "-bench", ".", "-benchtime", "100x")...)
	}
	first := run()
	first.must(t, exitOK, "4 processes in 2 rounds", "")
	first.must(t, exitOK, "which is the same program", "")
	first.must(t, exitOK, "The next run of this command here is compared", "")
	second := run("--benchfmt", "out.txt")
	second.must(t, exitOK, "old  the run of 20", "")
	second.must(t, exitOK, "exact  same", "")
	text, err := os.ReadFile("out.txt")
	if err != nil || strings.Count(string(text), "\nBenchmarkMake") != 4 || !strings.Contains(string(text), "#seam round: 3\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if strings.Contains(string(text), "threads") || strings.Contains(string(text), "peak-B") {
		t.Errorf("what depends on the machine is kept:\n%s", text)
	}
	bench("65000")
	run().must(t, exitFinding, "more !", "to take more")

	// What can't be read is no reason to fail, and is replaced.
	kept, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "seam", "run", "*.txt"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%q, %v", kept, err)
	}
	write("junk", "junk")
	if err := os.Rename("junk", kept[0]); err != nil {
		t.Fatal(err)
	}
	run().must(t, exitOK, "Make-", "the last run can't be read")
	run().must(t, exitOK, "exact  same", "")

	write("a_test.go", "package a\n\nimport \"testing\"\n\nfunc BenchmarkMake(b *testing.B) { b.Fatal(\"broken\") }\n")
	run().must(t, exitFailed, "", "broken")
	write("a_test.go", "package a\n\nimport \"testing\"\n\nfunc BenchmarkMake(b *testing.B) { nothing() }\n")
	run().must(t, 1, "", "undefined: nothing") // the go command's code
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--rounds", "1", "--", "go", "test", "-bench", "."}, "from 2 to 1000"},
		{[]string{"--for=-1s", "--", "go", "test", "-bench", "."}, "--for -1s"},
		{[]string{"--", "go", "test", "."}, "no benchmarks to compare"},
		{[]string{"--", "go", "build", "."}, "runs nothing"},
		{[]string{"--", "./nowhere"}, "neither a go command nor the folder"},
	} {
		seam(t, append([]string{"lab", "run"}, c.args...)...).must(t, exitUsage, "", c.says)
	}
}
