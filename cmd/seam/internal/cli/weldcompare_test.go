//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// addModule is a module with a C function, a benchmark of it, a program and, if it has
// text, a plan.
func addModule(t *testing.T, planText string) (dir string) {
	t.Helper()
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	dir = t.TempDir()
	files := map[string]string{
		"go.mod": "module example.com/add\n\ngo 1.25\n",
		"add.go": "package add\n\n// static int add(int a, int b) { return a + b; }\nimport \"C\"\n\n" +
			"func Add(a, b int) int { return int(C.add(C.int(a), C.int(b))) }\n",
		"add_test.go": "package add\n\nimport \"testing\"\n\nfunc BenchmarkAdd(b *testing.B) {\n\tfor b.Loop() {\n\t\tAdd(1, 2)\n\t}\n}\n\n" +
			"func TestNever(t *testing.T) { t.Fatal(\"tests are not run\") }\n",
		"prog/main.go": "package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/add\"\n)\n\nfunc main() {\n\tif len(os.Args) != 2 || add.Add(1, 2) != 3 {\n\t\tos.Exit(9)\n\t}\n}\n",
		"seam.plan":    planText,
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

const addPlan = "# seam.plan 1\nleaf example.com/add.add\n"

// A plan that parks, or bounds, and has no leaf is worth a comparison too.
func TestWeldComparePark(t *testing.T) {
	testenv.OtherProgram(t)
	for _, mode := range []string{"park", "offload:2"} {
		addModule(t, "# seam.plan 1\n"+mode+" example.com/add.add\n")
		seam(t, "weld", "--compare", "--rounds", "2", "--threshold", "100000%", "--", "go", "test", "-bench", ".", "-benchtime", "100x", "./...").
			must(t, 0, "1 welded function of", "welded 1 of 1 functions")
	}
}

// Times decide nothing here: every slowdown is accepted.
func TestWeldCompare(t *testing.T) {
	testenv.OtherProgram(t)
	addModule(t, addPlan)
	accept := []string{"weld", "--compare", "--rounds", "2", "--threshold", "100000%"}
	files := []string{"--json", "r.json", "--html", "r.html", "--benchfmt", "r.txt"}
	c := seam(t, append(append(accept, files...), "--", "go", "test", "-bench", ".", "-benchtime", "100x", "./...")...)
	c.must(t, 0, "1 welded function of", "welded 1 of 1 functions")
	for _, want := range []string{"Add", "The plain program against itself"} {
		if !strings.Contains(c.out, want) {
			t.Errorf("no %q in\n%s", want, c.out)
		}
	}
	if strings.Count(c.errout, "welded 1 of 1") != 1 {
		t.Errorf("standard error:\n%s", c.errout)
	}
	text, err := os.ReadFile("r.json")
	var file struct {
		Rows []struct{ Package, Name string }
	}
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil || len(file.Rows) != 1 || file.Rows[0].Package != "example.com/add" || !strings.HasPrefix(file.Rows[0].Name, "Add") {
		t.Errorf("%v, rows %+v", err, file.Rows)
	}
	for _, name := range []string{"r.html", "r.txt"} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	seam(t, append(accept, "--", "./prog", "x")...).must(t, 0, "Program", "welded 1 of 1 functions")
	seam(t, append(accept, "--", "go", "run", "./prog")...).must(t, 3, "", "the program (cgo) failed: ")
}

// What calls the go command welds too: a script, make, env; and what it says and ends with is
// its own.
func TestWeldOfBuilds(t *testing.T) {
	testenv.OtherProgram(t)
	dir := addModule(t, addPlan)
	script := filepath.Join(dir, "build it.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ngo build \"$@\" ./prog && echo built\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		out  string
	}{
		{[]string{script, "-o", "w"}, "built\n"},
		{[]string{"env", "X=1", "go", "build", "-o", "w", "./prog"}, ""},
	} {
		os.Remove("w")
		seam(t, append([]string{"weld", "--"}, c.args...)...).must(t, 0, c.out, "were to weld by "+filepath.Join(dir, "seam.plan"))
		program, err := os.ReadFile("w")
		if err != nil || !strings.Contains(string(program), "runtime/cgo.SeamCall") {
			t.Errorf("%q: not welded (%v)", c.args, err)
		}
	}
	seam(t, "weld", "--", "sh", "-c", "exit 7").must(t, 7, "", "")
	seam(t, "weld", "--plan", "none.plan", "--", "make").must(t, exitUsage, "", "none.plan")
	seam(t, "weld", "--json", "x", "--", "make").must(t, exitUsage, "", "--json is for --compare")
	t.Setenv("GOFLAGS", "-toolexec=env")
	seam(t, "weld", "--", "make").must(t, exitUsage, "", "GOFLAGS has a -toolexec")
}

// A server is driven by a command, and what doesn't end is told how.
func TestWeldCompareServer(t *testing.T) {
	testenv.OtherProgram(t)
	dir := addModule(t, addPlan)
	listener, err := net.Listen("tcp", testenv.Loopback()+":0") // the server listens there again and again
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	server := `package main

import (
	"io"
	"net/http"
	"os"

	"example.com/add"
)

func main() {
	add.Add(1, 2)
	err := http.ListenAndServe(os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			add.Add(1, 2)
		}
		io.WriteString(w, "ok")
	}))
	if err != nil {
		os.Exit(9)
	}
}
`
	if err := os.MkdirAll(filepath.Join(dir, "server"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "server", "main.go"), []byte(server), 0o666); err != nil {
		t.Fatal(err)
	}
	compare := []string{"weld", "--compare", "--rounds", "2", "--threshold", "100000%"}
	load := func(command, ready string) []string {
		return append(compare, "--load", command, "--ready", ready, "--", "./server", address)
	}
	seam(t, load("echo driven >>load.log", "http://"+address+"/")...).must(t, 0, "Program", "welded 1 of 1 functions")
	if text, err := os.ReadFile("load.log"); err != nil || strings.Count(string(text), "driven") != 2+2*4 {
		t.Errorf("%v: the load was started %d times", err, strings.Count(string(text), "driven"))
	}
	if answered, err := net.Dial("tcp", address); err == nil {
		answered.Close()
		t.Error("a server is left")
	}
	seam(t, load("echo no good; exit 4", address)...).must(t, 3, "", "the load failed against the program (cgo): exit status 4")
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	seam(t, load("true", other.Addr().String())...).must(t, 3, "", "something answers at")
	seam(t, append(compare, "--load", "true", "--ready", address, "--", "./prog")...).must(t, 3, "", "the program (cgo) failed")
	seam(t, append(compare, "--load", "true", "--", "./prog")...).must(t, exitUsage, "", "--load and --ready go together")
	seam(t, append(compare, "--load", "true", "--ready", address, "--", "go", "test", "-bench", ".")...).must(t, exitUsage, "", "go test runs none")
}

func TestWeldCompareRefuses(t *testing.T) {
	addModule(t, "# seam.plan 1\ncgo example.com/add.add\n")
	for _, c := range []struct{ args, out, errout string }{
		{"--compare -- go test -bench . .", "Nothing to gain here: ", ""},
		{"--compare -- go test .", "", "add -bench"},
		{"--compare --rounds 1 -- go test -bench . .", "", "--rounds must be from 2"},
		{"--json x -- go test .", "", "--json is for --compare"},
		{"--trace-first -- go build .", "", "nothing that could be traced"},
	} {
		code := exitUsage
		if c.errout == "" {
			code = exitOK
		}
		seam(t, append([]string{"weld"}, strings.Fields(c.args)...)...).must(t, code, c.out, c.errout)
	}
}

// One command does all: the trace and the plan are where their verbs would have put them.
func TestTraceFirst(t *testing.T) {
	testenv.OtherProgram(t)
	dir := addModule(t, "")
	c := seam(t, "weld", "--trace-first", "--compare", "--rounds", "2", "--threshold", "100000%", "--", "go", "test", "-bench", ".", "-benchtime", "2000x", ".")
	if c.code != 0 {
		t.Fatalf("code %d\n%s%s", c.code, c.out, c.errout)
	}
	for _, name := range []string{"seam.trace", "seam.plan"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), "add") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
