package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// onlyGo is a PATH on which there is the go command, and no compiler.
func onlyGo(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(tool, filepath.Join(dir, "go")); err != nil {
		testenv.Missing(t, err)
	}
	return dir
}

// The report is about the build of the folder, not about the program that makes it: these
// tests pass also where they are built without cgo.
func TestDoctor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the paths are those of Linux")
	}
	testenv.Tool(t, "gcc")
	testenv.Tool(t, "clang")
	other := "arm64"
	if runtime.GOARCH == other {
		other = "amd64"
	}
	for name, c := range map[string]struct {
		env  map[string]string
		code int
		want []string // as regular expressions
	}{
		"as it is": {nil, exitOK, []string{`(?m)^cgo +on$`, `(?m)^CC +/\S*gcc, gcc`, `(?m)^crossing +leaf calls C by its own assembly`, `(?m)^coro +C runs as coroutines`,
			`(?m)^offload +threads take`, `(?m)^guard +o`, `(?m)^weld +works \(leaf, coro, park, offload:N, threads:\), with`, `(?m)^go +go1\.`, `(?m)^machine +\S`, `(?m)^kernel +\S`}},
		"no compiler": {map[string]string{"PATH": onlyGo(t), "CGO_ENABLED": ""}, exitFinding, []string{
			`(?m)^cgo +off: gcc is not on PATH, and without a C compiler the go command turns cgo off$`, `(?m)^weld +programs are built as they are`,
			`this build calls no C\n +why:  gcc is not on PATH`}},
		"no compiler, cgo asked for": {map[string]string{"PATH": onlyGo(t)}, exitFinding, []string{`(?m)^cgo +on$`, `no C can be compiled\n +why:  gcc is not on PATH`, `leaf can't call C`}},
		"cgo off":                    {map[string]string{"CGO_ENABLED": "0"}, exitFinding, []string{`(?m)^CC +/\S*gcc`, `why:  CGO_ENABLED=0 is set in the environment\n +fix:  unset CGO_ENABLED`}},
		"another compiler":           {map[string]string{"CC": "clang"}, exitOK, []string{`(?m)^CC +/\S*clang, .*clang version`}},
		"a compiler that isn't there": {map[string]string{"CC": "nonexistent"}, exitFinding, []string{
			`why:  nonexistent is not on PATH\n +fix:  unset CC, or set it to a compiler that is installed`, `(?m)^weld +programs can't be built: nonexistent`}},
		"no command":                 {map[string]string{"CC": "'gcc"}, exitFinding, []string{`why:  CC is "'gcc", which is no command`}},
		"another system":             {map[string]string{"GOARCH": other, "CGO_ENABLED": ""}, exitFinding, []string{`cgo +off: the build is for linux/` + other}},
		"another machine":            {map[string]string{"GOARCH": other}, exitFinding, []string{`gcc doesn't work: it compiles for ` + runtime.GOARCH + `, and the build is for ` + other}},
		"odd GOFLAGS":                {map[string]string{"GOFLAGS": "-mod"}, exitFinding, []string{`GOFLAGS=-mod`, `nothing can be built here\n +why:  go list: .*-mod`}},
		"no build cache":             {map[string]string{"GOCACHE": "off"}, exitFinding, []string{`nothing can be built here\n +why:  the go command has no folder for its build cache\n +fix:  set HOME`}},
		"open quotation":             {map[string]string{"GOFLAGS": "'-x"}, exitFinding, []string{`why:  go list: .*GOFLAGS`}},
		"sanitizer":                  {map[string]string{"GOFLAGS": "-asan"}, exitFinding, []string{`(?m)^crossing +leaf calls C through cgo: the slow path, because GOFLAGS has -asan`, `fix:  take it out of GOFLAGS`}},
		"a flag that there isn't":    {map[string]string{"CGO_CFLAGS": "-fnope"}, exitFinding, []string{`no program with C can be built\n +why:  CGO_CFLAGS is in the way: .*-fnope`, `fix:  unset CGO_CFLAGS`, `leaf can't call C`}},
		"a library that there isn't": {map[string]string{"CGO_LDFLAGS": "-lnope"}, exitFinding, []string{`why:  CGO_LDFLAGS is in the way`, `fix:  unset CGO_LDFLAGS`}},
		"no go command":              {map[string]string{"PATH": t.TempDir()}, exitFinding, []string{`nothing can be built here\n +why:  go can't be started`, `(?m)^weld +unknown`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("COLUMNS", "1000")
			for _, variable := range []string{"CC", "CXX", "GOFLAGS", "GOOS", "GOARCH", "SEAM_LEAF", "SEAM_CORO", "SEAM_OFFLOAD"} {
				t.Setenv(variable, "")
			}
			t.Setenv("CGO_ENABLED", "1")
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			got := seam(t, "doctor")
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			for _, want := range c.want {
				want = strings.ReplaceAll(want, ".*", `[^\n]*`)
				if !regexp.MustCompile(want).MatchString(got.out) {
					t.Errorf("the report has nothing like %s", want)
				}
			}
			if t.Failed() {
				t.Logf("%s\n%s", got.out, got.errout)
			}
		})
	}
}

func TestDoctorForPrograms(t *testing.T) {
	t.Setenv("CGO_ENABLED", "0")
	t.Chdir(t.TempDir())
	c := seam(t, "doctor", "--json", "-")
	var r struct {
		Schema   string
		Build    struct{ Folder, Module, Go, NoCgo string }
		Ways     []struct{ Name, Says string }
		Findings []struct{ Area, What, Why, Fix string }
	}
	if err := json.Unmarshal([]byte(c.out), &r); err != nil {
		t.Fatalf("%v\n%s", err, c.out)
	}
	if c.code != exitFinding || r.Schema != "seam.doctor/1" || r.Build.Module != "" || len(r.Ways) < 5 || len(r.Findings) == 0 {
		t.Errorf("code %d, %+v", c.code, r)
	}
	for _, f := range r.Findings {
		if f.Area == "build" && (f.Why == "" || f.Fix == "") {
			t.Errorf("a finding of the build without reason or fix: %+v", f)
		}
	}
}

// A compiler that makes objects may still not link, and what the folder's packages name may be
// missing.
func TestDoctorLinks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the compiler is a script of the shell")
	}
	gcc := testenv.Tool(t, "gcc")
	testenv.Tool(t, "pkg-config")
	for name, c := range map[string]struct {
		cgo  string // of the folder's package
		gcc  string // a compiler
		want string
	}{
		"as it is": {"#cgo LDFLAGS: -lm", "", ""},
		"a compiler that doesn't link": {"#cgo LDFLAGS: -lm", "for a in \"$@\"; do case $a in -c|-E|--version) exec " + gcc + " \"$@\";; esac; done\necho 'ld: cannot find -lc' >&2; exit 1\n",
			`no program with C can be built why: with \S*/cc no program with C can be built: .* fix: .*unset CC`},
		"a program that doesn't run": {"#cgo LDFLAGS: -lm", "exec " + gcc + " \"$@\" -Wl,--dynamic-linker=/nowhere\n", `it builds a program that doesn't run`},
		"a library":                  {"#cgo LDFLAGS: -lnope", "", `package example.com/links can't be built`},
		"pkg-config":                 {"#cgo pkg-config: nope", "", `package example.com/links can't be built why: .* fix: install what has nope.pc`},
		"a header's folder":          {"#cgo CFLAGS: -include nowhere.h", "", `package example.com/links can't be built`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("COLUMNS", "1000")
			for _, variable := range []string{"CC", "CXX", "GOFLAGS", "GOOS", "GOARCH", "CGO_CFLAGS", "CGO_LDFLAGS"} {
				t.Setenv(variable, "")
			}
			t.Setenv("CGO_ENABLED", "1")
			writeFile(t, "go.mod", "module example.com/links\n\ngo 1.25\n")
			writeFile(t, "m.go", "package links\n\n// "+c.cgo+"\nimport \"C\"\n")
			if c.gcc != "" {
				writeFile(t, "cc", "#!/bin/sh\n"+c.gcc)
				if err := os.Chmod("cc", 0o777); err != nil {
					t.Fatal(err)
				}
				dir, err := os.Getwd()
				if err != nil {
					t.Fatal(err)
				}
				t.Setenv("CC", filepath.Join(dir, "cc"))
			}
			got := seam(t, "doctor")
			code := exitOK
			if c.want != "" {
				code = exitFinding
			}
			if got.code != code || !regexp.MustCompile(c.want).MatchString(strings.Join(strings.Fields(got.out), " ")) {
				t.Errorf("code %d, want %d and %s\n%s\n%s", got.code, code, c.want, got.out, got.errout)
			}
		})
	}
}

// What doctor says to do about a build is done, and helps.
func TestDoctorFixes(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("builds on linux/amd64 for others")
	}
	testenv.Builds(t)
	testenv.Tool(t, "gcc")
	for name, c := range map[string]struct {
		env   map[string]string
		needs string // what the fix runs
	}{
		"CGO_CFLAGS":    {map[string]string{"CGO_CFLAGS": "-fnope"}, ""},
		"CGO_CPPFLAGS":  {map[string]string{"CGO_CPPFLAGS": "-include nowhere.h"}, ""},
		"CGO_LDFLAGS":   {map[string]string{"CGO_LDFLAGS": "-lnope"}, ""},
		"CGO_ENABLED":   {map[string]string{"CGO_ENABLED": "0"}, ""},
		"CC":            {map[string]string{"CC": "nonexistent"}, ""},
		"a flag in CC":  {map[string]string{"CC": "gcc -fnope"}, ""},
		"GOTMPDIR":      {map[string]string{"GOTMPDIR": "/proc/nonexistent"}, ""},
		"GOCACHE":       {map[string]string{"GOCACHE": "/proc/nonexistent"}, ""},
		"TMPDIR":        {map[string]string{"TMPDIR": "/proc/nonexistent"}, ""},
		"a pattern":     {map[string]string{"CGO_CFLAGS_ALLOW": "("}, ""},
		"linux/arm64":   {map[string]string{"GOARCH": "arm64", "CGO_ENABLED": ""}, "aarch64-linux-gnu-gcc"},
		"another CC":    {map[string]string{"GOARCH": "arm64"}, "aarch64-linux-gnu-gcc"},
		"windows/amd64": {map[string]string{"GOOS": "windows", "CGO_ENABLED": ""}, "x86_64-w64-mingw32-gcc"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.needs != "" {
				testenv.Tool(t, c.needs)
			}
			t.Chdir(t.TempDir())
			t.Setenv("COLUMNS", "1000")
			for _, variable := range []string{"CC", "CXX", "GOFLAGS", "GOOS", "GOARCH", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_LDFLAGS"} {
				t.Setenv(variable, "")
			}
			t.Setenv("CGO_ENABLED", "1")
			writeFile(t, "go.mod", "module example.com/fixed\n\ngo 1.25\n")
			writeFile(t, "main.go", "package main\n\n// static int two(void) { return 2; }\nimport \"C\"\n\nfunc main() { println(C.two()) }\n")
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			got := seam(t, "doctor")
			fix := regexp.MustCompile(`To fix in this build:\n(?: +[^\n]*\n)*? +fix:  ([^\n]*)\n`).FindStringSubmatch(got.out)
			if got.code != exitFinding || fix == nil {
				t.Fatalf("code %d, and no fix:\n%s", got.code, got.out)
			}
			do, _, _ := strings.Cut(fix[1], ", or ") // the first of two ways
			switch fields := strings.Fields(do); {
			case fields[0] == "seam": // as this test runs it
				seam(t, fields[1:]...).must(t, exitOK, "", "built for")
				return
			case !strings.Contains(do, "go build"):
				do += "; go build"
			}
			if out, err := exec.Command("sh", "-c", do).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", do, err, out)
			}
		})
	}
}
