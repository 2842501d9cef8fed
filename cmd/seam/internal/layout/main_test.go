package layout

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"GOWORK": "off", "GOFLAGS": "", "CGO_ENABLED": "1"} {
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

// needC skips a test where no program with C can be built.
func needC(t *testing.T) {
	t.Helper()
	testenv.Tool(t, "gcc")
}

const goMod = "module example.com/m\n\ngo 1.25\n"

// module writes a module to a new folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if files["go.mod"] == "" {
		write(t, dir, "go.mod", goMod)
	}
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runs runs the comparison in a folder.
func runs(t *testing.T, dir string, change func(*Options)) (*Outcome, error) {
	t.Helper()
	o := Options{Go: "go", Dir: dir, Packages: []string{"."}, Line: 64, Seam: "test"}
	if change != nil {
		change(&o)
	}
	return Run(t.Context(), o)
}

// command runs a command in a folder and returns what it said.
func command(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s\n(go test -update writes it anew)", name, got, want)
	}
}

// said is all of a result's mismatches and notes, a line each.
func said(r *Result) string {
	var b strings.Builder
	for _, m := range r.Mismatches {
		b.WriteString(m.Path + ": " + m.What + " | " + m.Fix + "\n")
	}
	for _, n := range r.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}
