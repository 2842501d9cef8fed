package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/frames"
	"github.com/seamgo/seam/internal/testenv"
)

func framesModule(t *testing.T, source string) {
	t.Helper()
	testenv.Builds(t)
	for name, value := range map[string]string{"GOWORK": "off", "GOFLAGS": "", "GOOS": "linux"} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.25\n", "main.go": source} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

const framesSource = `package main

//go:noinline
func deep(n int) { var a [4000]byte; touch(&a) }

//go:noinline
func touch(p *[4000]byte) { p[0] = 1 }

func main() {
	for i := range 3 {
		go deep(i)
	}
}
`

func TestStackFrames(t *testing.T) {
	testenv.OtherProgram(t)
	framesModule(t, framesSource)
	seam(t, "stack", "frames", "--top", "2", "--json", "frames.json").must(t, exitOK, "main.go:11    in a loop  2 KB -> 8 KB", "")
	text, err := os.ReadFile("frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var r frames.Report
	if err := json.Unmarshal(text, &r); err != nil || len(r.Binaries) != 1 || r.Binaries[0].Package != "example.com/m" || r.Seam == "" {
		t.Errorf("%v in %.300s", err, text)
	}
	found := false
	for _, g := range r.Binaries[0].Goroutines {
		found = found || g.Loop && g.Outgrows && strings.HasSuffix(g.File, "main.go") && g.Line == 11 && g.Chain.Stack == 8192
	}
	if !found {
		t.Errorf("no go statement of line 11 that outgrows in %+v", r.Binaries[0].Goroutines)
	}
	seam(t, "stack", "frames", "--json", "-").must(t, exitOK, `"schema": "seam.stack-frames/1"`, "")
}

func TestStackFramesRefuses(t *testing.T) {
	testenv.OtherProgram(t)
	framesModule(t, framesSource)
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--top", "0"}, exitUsage, "--top 0: want at least 1"},
		{[]string{"--binary", "none"}, exitUsage, "none: no such file"},
		{[]string{"--binary", "main.go"}, exitUsage, "main.go: not a program in the ELF format"},
		{[]string{"--binary", "main.go", "."}, exitUsage, "--binary looks at a program that is already built"},
		{[]string{"--json", filepath.Join("none", "x")}, exitUsage, "--json: "},
		{[]string{"--build", "x"}, exitUsage, "--build x: not a go build flag"},
		{[]string{"./none"}, exitUsage, "none"},
		{[]string{"--test", "."}, exitUsage, "no package has tests"},
	} {
		seam(t, append([]string{"stack", "frames"}, test.args...)...).must(t, test.code, "", test.want)
	}
	// What doesn't compile: the go command says why, and its code is ours.
	if err := os.WriteFile("main.go", []byte("package main\n\nfunc main() { undefined() }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	seam(t, "stack", "frames").must(t, 1, "", "main.go:3:15: undefined: undefined")
}
