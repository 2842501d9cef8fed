package cross

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// The go command is asked only what it would build: these names are those that it gives.
func TestOutputs(t *testing.T) {
	testenv.OtherProgram(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/far/v2\n\ngo 1.25\n",
		"z.go":             "package main\n\nfunc main() { c() }\n",
		"c.go":             "package main\n\nimport \"C\"\n\nfunc c() {}\n",
		"far_test.go":      "package main\n",
		"lib/lib.go":       "package lib\n",
		"tested/x.go":      "package tested\n",
		"tested/x_test.go": "package tested_test\n",
		"two/two.go":       "package main\n\nfunc main() {}\n",
		"out/keep":         "",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for variable, value := range map[string]string{"GOFLAGS": "", "GOWORK": "off"} {
		t.Setenv(variable, value)
	}
	for line, want := range map[string]string{
		"go build":                      "far",
		"go build -o x .":               "x",
		"go build -o out ./...":         "out/far out/two",
		"go build ./...":                "",
		"go build -o /dev/null":         "",
		"go build ./lib":                "",
		"go build c.go z.go":            "z", // files with C come last
		"go test -c":                    "far.test",
		"go test -c ./...":              "far.test tested.test",
		"go test -c -o out/ ./tested":   "out/tested.test",
		"go test -c ./lib":              "",
		"go test -c ./tested/x_test.go": "tested.test",
	} {
		b, err := Parse(target(t, "linux/arm64", false, ""), strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		b.Compiler = &Compiler{CC: "cc", CXX: "c++"}
		got, err := b.Outputs(t.Context())
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{"go build": "far.exe", "go build -o x .": "x", "go build -o out ./...": "out/far.exe out/two.exe", "go test -c": "far.test.exe"} {
		b, err := Parse(target(t, "windows/amd64", false, ""), strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		b.Compiler = &Compiler{CC: "cc", CXX: "c++"}
		if got, err := b.Outputs(t.Context()); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
}
