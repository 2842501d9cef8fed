//go:build linux && cgo

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// --fix changes files of main modules alone, whichever packages are asked about and however they come in.
func TestVetFixesOwnFiles(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	dep, app := "module example.com/leaky\n\ngo 1.25.0\n", "module example.com/app\n\ngo 1.25.0\n\nrequire example.com/leaky v1.0.0\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		link  string // becomes a link to a file of another module
		args  string
		env   string // GOFLAGS
		theirs,
		mine string
	}{
		{name: "replaced folder", files: map[string]string{"app/go.mod": app + "\nreplace example.com/leaky => ../dep\n", "dep/go.mod": dep, "dep/leaky.go": leaky}, args: "example.com/leaky", theirs: "dep/leaky.go"},
		{name: "replaced folder in the module", files: map[string]string{"app/go.mod": app + "\nreplace example.com/leaky => ./dep\n", "app/dep/go.mod": dep, "app/dep/leaky.go": leaky}, args: "example.com/leaky", theirs: "app/dep/leaky.go"},
		{name: "vendor", files: map[string]string{"app/go.mod": app, "app/vendor/example.com/leaky/leaky.go": leaky, "app/vendor/modules.txt": "# example.com/leaky v1.0.0\n## explicit; go 1.25.0\nexample.com/leaky\n"},
			args: "example.com/leaky", env: "-mod=vendor", theirs: "app/vendor/example.com/leaky/leaky.go"},
		{name: "with --deps", files: map[string]string{"app/go.mod": app + "\nreplace example.com/leaky => ../dep\n", "app/own.go": strings.Replace(leaky, "import \"unsafe\"", "import (\n\t\"unsafe\"\n\n\t_ \"example.com/leaky\"\n)", 1), "dep/go.mod": dep, "dep/leaky.go": leaky},
			args: "--deps ./...", theirs: "dep/leaky.go", mine: "app/own.go"},
		{name: "a link", files: map[string]string{"app/go.mod": dep, "dep/leaky.go": leaky}, link: "app/linked.go", args: ".", theirs: "dep/leaky.go"},
		{name: "the module cache itself", files: map[string]string{"app/go.mod": dep, "app/leaky.go": leaky}, args: ".", env: "cache", theirs: "app/leaky.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("GOWORK", "off")
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Setenv("GOFLAGS", strings.TrimPrefix(c.env, "cache"))
			if c.env == "cache" {
				t.Setenv("GOMODCACHE", dir)
			}
			for name, text := range c.files {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
					t.Fatal(err)
				}
				writeFile(t, filepath.Join(dir, name), text)
			}
			if c.link != "" {
				if err := os.Symlink(filepath.Join(dir, c.theirs), filepath.Join(dir, c.link)); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(filepath.Join(dir, "app"))
			seam(t, append([]string{"vet", "--fix"}, strings.Fields(c.args)...)...).must(t, exitOK, "", "in files of other modules, which are not changed")
			if text, err := os.ReadFile(filepath.Join(dir, c.theirs)); err != nil || string(text) != leaky {
				t.Errorf("the file of another module was changed (%v):\n%s", err, text)
			}
			if c.mine != "" {
				if text, err := os.ReadFile(filepath.Join(dir, c.mine)); err != nil || !strings.Contains(string(text), "defer C.free") {
					t.Errorf("the own file wasn't mended (%v):\n%s", err, text)
				}
			}
		})
	}
}

// Where no package has C, it is said where the program's C is, and --deps searches that.
func TestVetNoC(t *testing.T) {
	inModule(t)
	writeFile(t, "main.go", "package main\n\nfunc main() {}\n")
	seam(t, "vet", "./...").must(t, exitOK, "nothing that is imported", "")
	for _, dir := range []string{"app", "dep"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, "dep/leaky.go", leaky)
	writeFile(t, "app/main.go", "package main\n\nimport _ \"example.com/leaky/dep\"\n\nfunc main() {}\n")
	seam(t, "vet", "./app").must(t, exitOK, "not searched: example.com/leaky/dep. seam vet --deps", "")
	seam(t, "vet", "--deps", "./app").must(t, exitFinding, "dep/leaky.go:10:8: error", "1 finding")
	if c := seam(t, "vet", "./dep"); strings.Contains(c.out, "doesn't have C") {
		t.Errorf("of a package with C it is said that it has none:\n%s", c.out)
	}
}

// Findings in other modules stand apart.
func TestVetOtherModules(t *testing.T) {
	inModule(t)
	if err := os.Mkdir("dep", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "go.mod", "module example.com/app\n\ngo 1.25.0\n\nrequire example.com/leaky v1.0.0\n\nreplace example.com/leaky => ./dep\n")
	writeFile(t, "dep/go.mod", "module example.com/leaky\n\ngo 1.25.0\n")
	writeFile(t, "dep/leaky.go", leaky)
	writeFile(t, "zz.go", strings.Replace(leaky, "import \"unsafe\"", "import (\n\t\"unsafe\"\n\n\t_ \"example.com/leaky\"\n)", 1))
	seam(t, "vet", "example.com/leaky").must(t, exitFinding, "In other modules", "1 finding")
	c := seam(t, "vet", "--deps")
	own, apart, theirs := strings.Index(c.out, "zz.go:14"), strings.Index(c.out, "In other modules"), strings.Index(c.out, "dep/leaky.go:10")
	if own < 0 || own > apart || apart > theirs {
		t.Errorf("the own finding is at %d, the line between at %d, the other finding at %d:\n%s", own, apart, theirs, c.out)
	}
}

// Without a file --json and its like mean standard output; what names packages is no file.
func TestVetOutputsWithoutFile(t *testing.T) {
	inModule(t)
	writeFile(t, "leaky.go", leaky)
	for _, args := range [][]string{{"--json", "./..."}, {"--json", "."}, {"./...", "--json"}, {"--json", "--all", "."}, {"--json", "leaky.go"}, {"--json=-", "."}, {"--json", "-", "."}} {
		c := seam(t, append([]string{"vet"}, args...)...)
		var report struct{ Packages int }
		if err := json.Unmarshal([]byte(c.out), &report); err != nil || report.Packages != 1 {
			t.Errorf("seam vet %s: %d packages (%v):\n%s%s", strings.Join(args, " "), report.Packages, err, c.out, c.errout)
		}
	}
	seam(t, "vet", "--json", "vet.json", "--sarif=vet.sarif", ".").must(t, exitFinding, "never freed", "1 finding")
	for _, name := range []string{"vet.json", "vet.sarif"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// A renamed file has no new findings, and a copy of one has.
func TestVetRenamed(t *testing.T) {
	inModule(t)
	writeFile(t, "leaky.go", leaky)
	seam(t, "vet", "--write-baseline", "known.json").must(t, exitOK, "", "")
	if err := os.Rename("leaky.go", "renamed.go"); err != nil {
		t.Fatal(err)
	}
	seam(t, "vet", "--baseline", "known.json").must(t, exitOK, "1 known to the baseline", "")
	writeFile(t, "copied.go", strings.NewReplacer("Len", "Len2", "Free", "Free2").Replace(leaky))
	seam(t, "vet", "--baseline", "known.json").must(t, exitFinding, "1 known to the baseline", "1 finding of")
	writeFile(t, "leaky.go", "package leaky\n")
	seam(t, "vet", "--baseline", "known.json").must(t, exitFinding, "2 errors", "2 findings of")
}

// A comment above a statement of several lines ignores what is found in any of them, and not what
// comes after.
func TestVetIgnoresStatements(t *testing.T) {
	inModule(t)
	const body = `package leaky

// #include <string.h>
import "C"

func one(n ...C.size_t) C.size_t { return n[0] }

func Len(s string) C.size_t {
	//seam:ignore cstring-leak the program ends soon
	return one(
		1,
		C.strlen(C.CString(s)),
	)
}

func In(s string) int {
	//seam:ignore cstring-leak the program ends soon
	if len(s) > 1 &&
		C.strlen(C.CString(s)) > 1 {
		return int(C.strlen(C.CString("inside")))
	}
	return 0
}
`
	writeFile(t, "leaky.go", body)
	seam(t, "vet").must(t, exitFinding, "leaky.go:20:23: error", "1 finding of")
}

// One run of --fix does all, and leaves functions that it touched formatted, and others as they are.
func TestVetFixIsFinal(t *testing.T) {
	inModule(t)
	writeFile(t, "fix.go", `package leaky

/*
typedef struct ctx ctx;
ctx *ctx_new(void);
void ctx_free(ctx *c);
int ctx_add(ctx *c, int k);
int ctx_do(ctx *c);
*/
import "C"

import "runtime"

type Ctx struct { c   *C.ctx }

func New() *Ctx {
	c := &Ctx{C.ctx_new()}
	runtime.SetFinalizer(c, func(c *Ctx) { C.ctx_free(c.c) })
	return c
}

func  untouched( )  int { return 1 }

func (c *Ctx) Do() int { return int(C.ctx_do(c.c)) }

func (c *Ctx) Add(keys []int) bool {
	for _, k := range keys {
		if C.ctx_add(c.c, C.int(k)) != 0 {
			C.ctx_do(c.c)
			return false
		}
	}
	if C.ctx_do(c.c) != 0 { return false }
	return true
}
`)
	seam(t, "vet", "--fix").must(t, exitOK, "fix.go: 2 changes", "2 findings fixed")
	text, err := os.ReadFile("fix.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"func  untouched( )  int { return 1 }\n", "type Ctx struct { c   *C.ctx }\n",
		"func (c *Ctx) Do() int {\n\tdefer runtime.KeepAlive(c)\n\treturn int(C.ctx_do(c.c))\n}\n", "bool {\n\tdefer runtime.KeepAlive(c)\n\tfor _, k", "\t\treturn false\n\t}\n\treturn true\n}\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	seam(t, "vet", "--fix").must(t, exitOK, "", "nothing found, nothing to change")
}
