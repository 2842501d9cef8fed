//go:build linux

package bind

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// needCompiler skips the test where no compiler for this machine is.
func needCompiler(t testing.TB) {
	t.Helper()
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	if targets, _ := Targets(t.Context()); !slices.ContainsFunc(targets, func(x Target) bool { return x.Arch == runtime.GOARCH }) {
		t.Skip("no compiler for this machine is among the known ones")
	}
}

// folder is a module that may import dl.
func folder(t *testing.T) (dir, path string) {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	const none = "v0.0.0-00010101000000-000000000000"
	mod := "module use\n\ngo 1.25.0\n\nrequire (\n\tgithub.com/ebitengine/purego v0.11.3\n\tgithub.com/seamgo/seam " + none + "\n\tgithub.com/seamgo/seam/dl " + none + "\n)\n\n" +
		"replace (\n\tgithub.com/seamgo/seam => " + root + "\n\tgithub.com/seamgo/seam/dl => " + filepath.Join(root, "dl") + "\n)\n"
	sum, err := os.ReadFile(filepath.Join(root, "dl/go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"go.mod": []byte(mod), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, "use"
}

func goRun(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func build(t *testing.T, o Options) (*Result, string, string) {
	t.Helper()
	needCompiler(t)
	dir, path := folder(t)
	o.Command = "seam bind"
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	pkg := filepath.Join(dir, o.Package)
	if err := r.Install(pkg); err != nil {
		t.Fatal(err)
	}
	if names, err := r.Differing(pkg); err != nil || len(names) > 0 {
		t.Errorf("the files differ from what was written: %v, %v", names, err)
	}
	return r, dir, path
}

// What is generated for every construct works, and what can't be is named.
func TestOdd(t *testing.T) {
	needCompiler(t)
	lib := filepath.Join(t.TempDir(), "libodd.so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-w", "-o", lib, "testdata/odd.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r, dir, path := build(t, Options{Headers: []string{"testdata/odd.h"}, Libs: []string{"libodd.so"}, Package: "odd", Symbols: lib})
	refused := map[string]string{}
	for _, x := range r.Refused {
		refused[x.Name] = x.Why
	}
	for name, why := range map[string]string{
		"odd_printf": "variadic", "odd_vprintf": "va_list", "odd_long": "long double", "odd_missing": "no such symbol",
		"odd_inline": "inline", "ODD_MAX": "macro with parameters",
	} {
		if !strings.Contains(refused[name], why) {
			t.Errorf("%s: %q", name, refused[name])
		}
		delete(refused, name)
		if !bytes.Contains(r.Files["odd.go"], []byte("//   - "+name+": ")) {
			t.Errorf("the package doesn't say that %s is not bound", name)
		}
	}
	if len(refused) > 0 {
		t.Errorf("refused without need: %v", refused)
	}
	text := string(r.Files["odd.go"])
	for _, want := range []string{"//\tint odd_add(int a, int b)\n//\n// The sum of two numbers.\n//\n// It wraps around.", "// The number behind it."} {
		if !strings.Contains(text, want) {
			t.Errorf("the package lacks %q", want)
		}
	}
	for _, never := range []string{"not about odd_scale", "behind a handle", "ODD_LINE ", "ODD_LIST ", "ODD_FORGET "} {
		if strings.Contains(text, never) {
			t.Errorf("the package has %q", never)
		}
	}
	use, err := os.ReadFile("testdata/odd_use.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	main := strings.Replace(string(use), "PACKAGE", path+"/odd", 1)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	goRun(t, dir, nil, "vet", "./...")
	if out := goRun(t, dir, nil, "run", ".", lib); !strings.Contains(out, "all as C has it") {
		t.Error(out)
	}
	for _, arch := range r.Targets {
		goRun(t, dir, []string{"GOARCH=" + arch}, "build", "-o", os.DevNull, ".")
	}
	// Handles of two kinds don't mix.
	mixed := strings.Replace(main, "odd.OddClose(h)", "var o *odd.OddOther; odd.OddClose(o)", 1)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(mixed), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", os.DevNull, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Error("handles of two kinds were mixed")
	} else if !strings.Contains(string(out), "cannot use o") {
		t.Errorf("%s", out)
	}
}

// What the compiler, the ABI or Go has in another way than the front end or C is left out by itself, with its reason.
func TestStrange(t *testing.T) {
	needCompiler(t)
	libs := t.TempDir()
	lib := filepath.Join(libs, "libstrange.so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-w", "-o", lib, "testdata/strange/strange.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source, err := filepath.Abs("testdata/strange")
	if err != nil {
		t.Fatal(err)
	}
	for via, refused := range map[string]map[string]string{
		"dl":  {"strange_quad": "alignment", "strange_wide": "alignment", "strange_pair": "otherwise", "strange_pass": "packed", "strange_pass_nested": "packed", "strange_vectors": "otherwise", "strange_shadowed": ""},
		"cgo": {"strange_quad": "alignment", "strange_wide": "alignment", "strange_pair": "otherwise", "strange_vectors": "otherwise", "strange_shadowed": ""},
	} {
		t.Run(via, func(t *testing.T) {
			file, err := ParseFile(filepath.Join(source, "bind.seam"), []byte("package strange\nheader strange.h\nlib libstrange.so\nvia "+via+"\ncflags -I"+source+"\nlink -L"+libs+" -lstrange -Wl,-rpath,"+libs))
			if err != nil {
				t.Fatal(err)
			}
			o := file.Options()
			o.Symbols = lib
			r, dir, path := build(t, o)
			for _, x := range r.Refused {
				if why, known := refused[x.Name]; !known || !strings.Contains(x.Why, why) {
					t.Errorf("refused: %s: %s", x.Name, x.Why)
				}
				delete(refused, x.Name)
			}
			delete(refused, "strange_shadowed") // is called all the same
			if len(refused) > 0 {
				t.Errorf("bound: %v", refused)
			}
			install(t, dir, path+"/strange", "strange/use")
			args, env := []string{"run", "."}, throughCgo
			if via == "dl" {
				args, env = append(args, lib), nil
			}
			goRun(t, dir, env, "vet", "./...")
			if out := goRun(t, dir, env, args...); out != "6.5 MINUS_FIVE -5 2 2 12\nMINUS_FIVE 7\n" {
				t.Error(out)
			}
		})
	}
}

// inEachMode runs a program with the package of testdata/FOLDER in all modes. One line of bind.seam moves all functions
// from one to another; the program stays.
func inEachMode(t *testing.T, folder, options string, run func(t *testing.T, mode, said string, r *Result, lib, dir, path string)) {
	needCompiler(t)
	source, err := filepath.Abs("testdata/" + folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source + "/bind.seam")
	if err != nil {
		t.Fatal(err)
	}
	headers, _ := filepath.Glob(source + "/*.h")
	name := strings.TrimSuffix(filepath.Base(headers[0]), ".h")
	libs := t.TempDir()
	lib := filepath.Join(libs, "lib"+name+".so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-w", "-o", lib, source+"/"+name+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	leaf := regexp.MustCompile(`(?m)^leaf .*$`)
	for mode, line := range map[string]string{"dl": "", "cgo": "", "offload": "offload:2 *", "coro": "coro *" + options, "park": "park *" + options, "session": "session *" + options} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			via, said := "cgo", string(text)
			if mode == "dl" {
				via = "dl"
			}
			if line != "" {
				said = leaf.ReplaceAllString(said, "") + line
			}
			file, err := ParseFile(filepath.Join(source, "bind.seam"), []byte(said+"\nvia "+via+"\ncflags -I"+source+"\nlink -L"+libs+" -l"+name+" -Wl,-rpath,"+libs))
			if err != nil {
				t.Fatal(err)
			}
			o := file.Options()
			o.Symbols = lib
			r, dir, path := build(t, o)
			run(t, mode, said, r, lib, dir, path+"/"+o.Package)
		})
	}
}

// throughCgo is the environment of a build that cgo's checks are on in.
var throughCgo = []string{"CGO_ENABLED=1", "CGO_CFLAGS=-Werror", "CGO_LDFLAGS_ALLOW=.*", "GODEBUG=cgocheck=1"}

// install copies a program of testdata to the folder.
func install(t *testing.T, dir, path, name string, changes ...string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".go.txt")
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer(append(changes, "PACKAGE", path)...).Replace(string(text)))
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)+".go"), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// What bind.seam describes works, without cgo and through it.
func TestStore(t *testing.T) {
	inEachMode(t, "store", "", func(t *testing.T, mode, said string, r *Result, lib, dir, path string) {
		if inline := slices.ContainsFunc(r.Refused, func(x Refused) bool { return x.Name == "store_twice" }); inline != (mode == "dl") {
			t.Errorf("refused: %v", r.Refused)
		}
		trace := filepath.Join(t.TempDir(), "dl.trace")
		args, env := []string{"run", "."}, throughCgo
		if mode == "dl" {
			args, env = append(args, lib), []string{"SEAM_TRACE=" + trace}
			install(t, dir, path, "store/use")
		} else {
			install(t, dir, path, "store/use", "fmt.Println(\"all", "check(\"Twice\", store.Twice(21), 42)\n\tfails(\"Load\", store.Load(\"libother.so\"), \"the library is linked\")\n\tfmt.Println(\"all")
		}
		goRun(t, dir, env, "vet", "./...")
		if out := goRun(t, dir, env, args...); !strings.Contains(out, "all as C has it") {
			t.Error(out)
		}
		if mode == "dl" {
			planned(t, filepath.Join(dir, "store", "bind.seam"), said, trace)
		}
	})
}

// Waits, callbacks, contexts and runners, in every mode.
func TestModes(t *testing.T) {
	inEachMode(t, "runners", " stack=256KiB", func(t *testing.T, mode, _ string, _ *Result, lib, dir, path string) {
		install(t, dir, path, "runners/use")
		coroutines := mode == "coro" || mode == "park" || mode == "session"
		if coroutines {
			install(t, dir, path, "runners/coroutines")
		} else if err := os.WriteFile(filepath.Join(dir, "more.go"), []byte("package main\n\nimport \"context\"\n\nfunc more(context.Context, error) {}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		args, env := []string{"run", ".", mode}, throughCgo
		if mode == "dl" {
			args, env = append(args, lib), nil
		}
		goRun(t, dir, env, "vet", "./...")
		if out := goRun(t, dir, env, args...); !strings.Contains(out, "all as C has it") {
			t.Error(out)
		}
		if mode == "dl" {
			otherVersion(t, dir, lib, path)
		}
	})
}

// otherVersion loads a library of another major version than the headers, and then one that can't tell it.
func otherVersion(t *testing.T, dir, lib, path string) {
	source, err := os.ReadFile("testdata/runners/wait.c")
	if err != nil {
		t.Fatal(err)
	}
	const main = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"%s\"\n)\n\nfunc main() { fmt.Println(wait.Load(os.Args[1])) }\n"
	if err := os.MkdirAll(filepath.Join(dir, "load"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "load", "main.go"), fmt.Appendf(nil, main, path), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "load")
	load := func(said, lib, want string) {
		t.Helper()
		if said != "" {
			file, err := ParseFile("testdata/runners/bind.seam", []byte(said))
			if err != nil {
				t.Fatal(err)
			}
			o := file.Options()
			o.Command = "seam bind"
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Install(filepath.Join(dir, "wait")); err != nil {
				t.Fatal(err)
			}
		}
		goRun(t, dir, nil, "build", "-o", program, "./load")
		if out, err := exec.Command(program, lib).CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s, %v, want %q", out, err, want)
		}
	}
	other := filepath.Join(t.TempDir(), "libwait.so")
	for _, flag := range []string{"-DREPORTED=30000", "-Dwait_version=wait_none"} {
		cmd := exec.Command("gcc", "-shared", "-fPIC", "-w", "-I", "testdata/runners", flag, "-x", "c", "-o", other+flag, "-")
		cmd.Stdin = bytes.NewReader(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	load("", other+"-DREPORTED=30000", "wait: the library has version 30000, by wait_version, and the package was made for version 20100: load another library, or make the package anew")
	load("", other+"-Dwait_version=wait_none", "wait: the library has no wait_version, by which it would tell its version")
	const said = "package wait\nheader wait.h\nlib libwait.so\ntrim wait_\nrename wait_pair PairOf\nversion wait_name=WAIT_NAME\n"
	load(said, lib, "<nil>")
	load("", other+"-DREPORTED=30000", "wait: the library has version 31, by wait_name, and the package was made for version 2.1-rc1")
}

// planned looks at what a trace of the program above says of its functions.
func planned(t *testing.T, name, said, trace string) {
	if err := os.WriteFile(name, []byte(said), 0o666); err != nil {
		t.Fatal(err)
	}
	text, list, err := PlanFile(name, []string{trace}, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]Chosen{}
	for _, c := range list {
		seen[c.Name] = c
	}
	if string(text) != said {
		t.Errorf("functions that were called a few times are leaves: %s", text)
	}
	for c, want := range map[string]string{"store_each": "it called Go in", "store_put": "are wanted", "store_count": "are wanted"} {
		if x := seen[c]; x.Calls == 0 || x.Library == "" || !strings.Contains(x.Why, want) {
			t.Errorf("%s: %+v, want %q", c, x, want)
		}
	}
	if seen["store_count"].Mode != "leaf" || seen["store_put"].Mode != "cgo" {
		t.Errorf("modes: %s and %s", seen["store_count"].Mode, seen["store_put"].Mode)
	}
}

// The committed packages of examples are what seam bind writes.
func TestCommitted(t *testing.T) {
	needCompiler(t)
	for _, c := range []struct{ file, library string }{
		{"dl-cuda/cuda", ""},
		{"dl-sqlite/sqlite", "sqlite3"},
		{"dl-zstd/zstd", "libzstd"},
		{"hiredis/hiredis", "hiredis"},
		{"libpq/libpq", "libpq"},
		{"odbc/odbc", "odbc"},
	} {
		if c.library != "" && exec.Command("pkg-config", "--exists", c.library).Run() != nil {
			testenv.Missing(t, c.library+"'s headers are not installed, or pkg-config isn't")
		}
		dir := filepath.Join("../../../../examples", c.file)
		file, err := LoadFile(filepath.Join(dir, "bind.seam"))
		if err != nil {
			t.Fatal(err)
		}
		o := file.Options()
		o.Command = "seam bind bind.seam"
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range r.Files {
			committed, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			version := regexp.MustCompile(`(SQLITE_SOURCE_ID|ZSTD_VERSION_\w+) += .*|go:build .*`)
			if was, now := version.FindAll(committed, -1), version.FindAll(text, -1); fmt.Sprintf("%s", was) != fmt.Sprintf("%s", now) {
				t.Logf("%s: the headers here are others, or compilers are missing: %s, not %s", c.file, now, was)
				continue
			}
			if !bytes.Equal(committed, text) {
				t.Errorf("examples/%s/%s is not as it would be written: run seam bind bind.seam there", c.file, name)
			}
		}
	}
}

// The driver's tests of examples/dl-sqlite pass with the same package through cgo, too.
func TestExample(t *testing.T) {
	needCompiler(t)
	if exec.Command("pkg-config", "--exists", "sqlite3").Run() != nil {
		testenv.Missing(t, "libsqlite3-dev is not installed, or pkg-config isn't")
	}
	const example = "../../../../examples/dl-sqlite"
	said, err := os.ReadFile(example + "/sqlite/bind.seam")
	if err != nil {
		t.Fatal(err)
	}
	file, err := ParseFile(example+"/sqlite/bind.seam", append(said, "\nvia cgo\n"...))
	if err != nil {
		t.Fatal(err)
	}
	o := file.Options()
	o.Command = "seam bind bind.seam"
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	dir, path := folder(t)
	if err := r.Install(filepath.Join(dir, "sqlite")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dlsqlite"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dlsqlite/driver.go", "dlsqlite/function.go", "main.go", "main_test.go"} {
		text, err := os.ReadFile(filepath.Join(example, name))
		if err != nil {
			t.Fatal(err)
		}
		moved := strings.ReplaceAll(string(text), "github.com/seamgo/seam/examples/dl-sqlite", path)
		// A module of another path may not use the library's internal packages.
		moved = strings.ReplaceAll(strings.ReplaceAll(moved, "\t\"github.com/seamgo/seam/internal/testenv\"\n", ""), "testenv.Missing(t, err)", "t.Fatal(err)")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(moved), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out := goRun(t, dir, []string{"CGO_ENABLED=1"}, "test", "-count=1", "."); !strings.Contains(out, "ok") {
		t.Error(out)
	}
}

// What a changed header means for users is listed, and what bind.seam describes isn't lost in silence.
func TestUpdate(t *testing.T) {
	needCompiler(t)
	dir := t.TempDir()
	header := filepath.Join(dir, "lib.h")
	run := func(text, said string) (*Result, error) {
		t.Helper()
		if err := os.WriteFile(header, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := ParseFile(filepath.Join(dir, "bind.seam"), []byte("package lib\nheader lib.h\nlib liblib.so\n"+said))
		if err != nil {
			t.Fatal(err)
		}
		o := file.Options()
		o.Command = "seam bind bind.seam"
		return Run(t.Context(), o)
	}
	const described = "handle thing Thing\nfunc name result=string\n"
	old, err := run("#define ALL 7\n#define SAME 1\ntypedef struct thing thing;\nstruct point { int x; };\nint oldest(int); int both(int); const char *name(thing *);", described)
	if err != nil {
		t.Fatal(err)
	}
	if _, found, err := old.Changes(dir); found || err != nil {
		t.Errorf("a package was found where none is: %v", err)
	}
	if err := old.Install(dir); err != nil {
		t.Fatal(err)
	}
	if list, found, err := old.Changes(dir); !found || err != nil || len(list) > 0 {
		t.Errorf("%v, %v, %v", list, found, err)
	}
	const newer = "#define ALL 15\n#define SAME 1\ntypedef struct thing thing;\nstruct point { int x, y; };\nint both(long); int newest(int);"
	if _, err := run(newer, described); err == nil || !strings.Contains(err.Error(), "bind.seam:5:6: no function name is bound") {
		t.Error(err)
	}
	r, err := run(newer, "handle thing Thing\n")
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := r.Changes(dir)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range list {
		lines = append(lines, c.Was+" -> "+c.Now)
	}
	got := strings.Join(lines, "\n")
	const want = `func Oldest(a0 int32) int32 -> 
func RawName(a0 *Thing_) *byte -> 
func (h *Thing) Name() string -> 
ALL = 7 -> ALL = 15
func Both(a0 int32) int32 -> func Both(a0 int64) int32
Point struct { X int32 } -> Point struct { X int32 Y int32 }
 -> func Newest(a0 int32) int32`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The compiler has the last word.
func TestDisagreement(t *testing.T) {
	needCompiler(t)
	targets, _ := Targets(t.Context())
	u, err := read(t.Context(), targets[0], Options{Headers: []string{"testdata/odd.h"}})
	if err != nil {
		t.Fatal(err)
	}
	g := generate(u, Options{}, nil, nil)
	g.asserts = append(g.asserts, assertion{"", "sizeof(struct odd_point) == 12", ""})
	if err := g.verify(t.Context()); err == nil || !strings.Contains(err.Error(), "disagrees") || !strings.Contains(err.Error(), "odd_point") {
		t.Error(err)
	}
}

func TestHostileHeaders(t *testing.T) {
	needCompiler(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	grow := "#define A0 x x x x x x x x x x\n"
	for i := range 12 {
		grow += fmt.Sprintf("#define A%d A%d A%d A%d A%d A%d\n", i+1, i, i, i, i, i)
	}
	for name, c := range map[string]struct{ text, want string }{
		"none.h":     {"", "none.h declares can be bound"},
		"includes.h": {"#include <zlib.h>\n#include <stdlib.h>\n", "stdlib.h ("},
		"syntax.h":   {"int f(int;\n}{", "can't be read"},
		"recursive":  {"#include \"recursive\"\nint f(void);", "can't be read"},
		"explodes":   {grow + "int f(int A12);", "can't be read"},
		"zero":       {"int f(void);\x00\x01\xff", ""},
		"macro.h":    {"#define LONG \"" + strings.Repeat("x", 10<<20) + "\"\nint f(void);", ""},
	} {
		r, err := Run(t.Context(), Options{Headers: []string{write(name, c.text)}, Libs: []string{"libnobody.so"}, Package: "p"})
		switch {
		case c.want == "" && err == nil && r.Functions == 1:
		case c.want == "" && name == "zero" && err != nil: // refused is as good
		case c.want == "" || err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 2000:
			t.Errorf("%s: %.500v", name, err)
		}
	}
	if _, err := Run(t.Context(), Options{Headers: []string{"nobody/has_this.h"}, Package: "p"}); err == nil || !strings.Contains(err.Error(), "there is no header nobody/has_this.h") {
		t.Error(err)
	}
	if _, err := Run(t.Context(), Options{Headers: []string{"stddef.h"}, Package: "p", Symbols: write("damaged.so", "ELF?")}); err == nil || !strings.Contains(err.Error(), "damaged.so") {
		t.Error(err)
	}
}

// Libraries of the system, where they are: each package is vetted, and called.
func TestLibraries(t *testing.T) {
	needCompiler(t)
	for _, c := range []struct {
		header, lib, trim, main string
		functions               int
	}{
		{"zlib.h", "libz.so.1", "", `
	data := []byte("some text, some text, some text")
	n := zlib.CompressBound(uint64(len(data)))
	packed := make([]byte, n)
	check("Compress", zlib.Compress(&packed[0], &n, &data[0], uint64(len(data))), int32(zlib.Z_OK))
	m := uint64(len(data))
	back := make([]byte, m)
	check("Uncompress", zlib.Uncompress(&back[0], &m, &packed[0], n), int32(zlib.Z_OK))
	check("text", string(back), string(data))
	check("Crc32", zlib.Crc32(0, &data[0], 4), uint64(crc32.ChecksumIEEE(data[:4])))
	var s zlib.ZStream
	check("InflateInit_", zlib.InflateInit(&s, zlib.ZlibVersion(), int32(unsafe.Sizeof(s))), int32(zlib.Z_OK))
	s.Next_in, s.Avail_in, s.Next_out, s.Avail_out = &packed[0], uint32(n), &back[0], uint32(m)
	check("Inflate", zlib.Inflate(&s, zlib.Z_FINISH), int32(zlib.Z_STREAM_END))
	check("Total_out", s.Total_out, m)
	check("InflateEnd", zlib.InflateEnd(&s), int32(zlib.Z_OK))
	check("ZError", dl.GoString(zlib.ZError(zlib.Z_MEM_ERROR)), "insufficient memory")
	check("Adler32", zlib.Adler32(1, nil, 0), uint64(1))`, 70},
		{"sqlite3.h", "libsqlite3.so.0", "sqlite3_", `
	var db *sqlite3.Sqlite3
	check("Open", sqlite3.Open(dl.CString(":memory:"), &db), int32(sqlite3.SQLITE_OK))
	check("Exec", sqlite3.Exec(db, dl.CString("create table t(a, b); insert into t values (1, 'one'), (2, 'two')"), 0, nil, nil), int32(0))
	var s *sqlite3.Stmt
	check("PrepareV2", sqlite3.PrepareV2(db, dl.CString("select a, b from t where a > ?"), -1, &s, nil), int32(0))
	check("BindInt", sqlite3.BindInt(s, 1, 1), int32(0))
	check("Step", sqlite3.Step(s), int32(sqlite3.SQLITE_ROW))
	check("ColumnInt", sqlite3.ColumnInt(s, 0), int32(2))
	check("ColumnText", dl.GoString(sqlite3.ColumnText(s, 1)), "two")
	check("Step", sqlite3.Step(s), int32(sqlite3.SQLITE_DONE))
	check("Finalize", sqlite3.Finalize(s), int32(0))
	check("PrepareV2", sqlite3.PrepareV2(db, dl.CString("selec"), -1, &s, nil), int32(sqlite3.SQLITE_ERROR))
	check("Errmsg", dl.GoString(sqlite3.Errmsg(db)), "near \"selec\": syntax error")
	check("Close", sqlite3.Close(db), int32(0))`, 200},
		{"zstd.h", "libzstd.so.1", "ZSTD_", `
	data := []byte(strings.Repeat("some text, ", 100))
	check("VersionNumber", zstd.VersionNumber() >= 10400, true)
	check("MinCLevel", zstd.MinCLevel() < 0 && zstd.MaxCLevel() > 10, true)
	packed := make([]byte, zstd.CompressBound(uint64(len(data))))
	c := zstd.CreateCCtx()
	check("CCtxSetParameter", zstd.IsError(zstd.CCtxSetParameter(c, zstd.ZSTD_c_checksumFlag, 1)), uint32(0))
	n := zstd.Compress2(c, unsafe.Pointer(&packed[0]), uint64(len(packed)), unsafe.Pointer(&data[0]), uint64(len(data)))
	check("Compress2", n < 100, true)
	check("FreeCCtx", zstd.FreeCCtx(c), uint64(0))
	check("GetFrameContentSize", zstd.GetFrameContentSize(unsafe.Pointer(&packed[0]), n), uint64(len(data)))
	back := make([]byte, len(data))
	check("Decompress", zstd.Decompress(unsafe.Pointer(&back[0]), uint64(len(back)), unsafe.Pointer(&packed[0]), n), uint64(len(data)))
	check("text", string(back), string(data))
	packed[n-1]++
	failed := zstd.Decompress(unsafe.Pointer(&back[0]), uint64(len(back)), unsafe.Pointer(&packed[0]), n)
	check("GetErrorName", dl.GoString(zstd.GetErrorName(failed)), "Restored data doesn't match checksum")`, 50},
		{"hiredis/hiredis.h", "libhiredis.so", "redis", `
	r := hiredis.ReaderCreate()
	said := []byte("*2\r\n$3\r\none\r\n:2\r\n")
	check("ReaderFeed", hiredis.ReaderFeed(r, &said[0], uint64(len(said))), int32(hiredis.REDIS_OK))
	var reply unsafe.Pointer
	check("ReaderGetReply", hiredis.ReaderGetReply(r, &reply), int32(hiredis.REDIS_OK))
	list := unsafe.Slice((*hiredis.Reply)(reply).Element, 2)
	check("element", dl.GoString(list[0].Str), "one")
	check("element", list[1].Integer, int64(2))
	hiredis.FreeReplyObject(reply)
	said[0] = '!'
	hiredis.ReaderFeed(r, &said[0], uint64(len(said)))
	check("ReaderGetReply", hiredis.ReaderGetReply(r, &reply), int32(hiredis.REDIS_ERR))
	hiredis.ReaderFree(r)
	var command *byte
	words, lengths := []*byte{dl.CString("GET"), dl.CString("a b")}, []uint64{3, 3}
	var pin runtime.Pinner
	pin.Pin(words[0])
	pin.Pin(words[1])
	n := hiredis.FormatCommandArgv(&command, 2, &words[0], &lengths[0])
	check("FormatCommandArgv", string(unsafe.Slice(command, n)), "*2\r\n$3\r\nGET\r\n$3\r\na b\r\n")
	hiredis.FreeCommand(command)
	pin.Unpin()
	c := hiredis.ConnectUnix(dl.CString("/nowhere/redis"))
	check("ConnectUnix", c.Err, int32(hiredis.REDIS_ERR_IO))
	check("errstr", dl.GoString(&c.Errstr[0]), "No such file or directory")
	check("Reconnect", hiredis.Reconnect(c), int32(hiredis.REDIS_ERR))
	hiredis.Free(c)`, 30},
		{"postgresql/libpq-fe.h", "libpq.so.5", "PQ", `
	check("LibVersion", pq.LibVersion() > 90000, true)
	var wrong *byte
	check("ConninfoParse", pq.ConninfoParse(dl.CString("host"), &wrong), (*pq.ConninfoOption)(nil))
	check("wrong", strings.HasPrefix(dl.GoString(wrong), "missing \"=\""), true)
	pq.Freemem(unsafe.Pointer(wrong))
	options := pq.ConninfoParse(dl.CString("host=/nowhere port=7"), &wrong)
	for _, o := range unsafe.Slice(options, 100) {
		if o.Keyword == nil {
			break
		}
		if dl.GoString(o.Keyword) == "port" {
			check("port", dl.GoString(o.Val), "7")
		}
	}
	pq.ConninfoFree(options)
	to := make([]byte, 20)
	check("EscapeString", pq.EscapeString(&to[0], dl.CString("it's"), 4), uint64(5))
	check("escaped", dl.GoString(&to[0]), "it''s")
	c := pq.Connectdb(dl.CString("host=/nowhere port=7"))
	check("Status", pq.Status(c), pq.CONNECTION_BAD)
	check("Port", dl.GoString(pq.Port(c)), "7")
	check("ErrorMessage", strings.Contains(dl.GoString(pq.ErrorMessage(c)), "/nowhere/.s.PGSQL.7"), true)
	pq.Finish(c)
	r := pq.MakeEmptyPGresult(nil, pq.PGRES_TUPLES_OK)
	check("ResultStatus", pq.ResultStatus(r), pq.PGRES_TUPLES_OK)
	check("ResStatus", dl.GoString(pq.ResStatus(pq.PGRES_TUPLES_OK)), "PGRES_TUPLES_OK")
	check("Ntuples", pq.Ntuples(r), int32(0))
	pq.Clear(r)`, 150},
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(c.lib, "lib"), ".")
		name = strings.Replace(name, "z", "zlib", strings.Count(c.lib, "libz."))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := exec.Command("gcc", "-print-file-name="+c.lib).Output(); err != nil || !filepath.IsAbs(strings.TrimSpace(string(out))) {
				testenv.Missing(t, c.lib+" is not installed for building with it")
			}
			o := Options{Headers: []string{c.header}, Libs: []string{c.lib}, Package: name, Leaf: regexp.MustCompile("_(column|bind)_|crc|adler")}
			if c.trim != "" {
				o.Trim = []string{c.trim}
			}
			r, dir, path := build(t, o)
			if r.Functions < c.functions || r.Library == "" {
				t.Errorf("%d functions, %s", r.Functions, r.Library)
			}
			imports := "\"fmt\"\n\"os\"\n\"" + path + "/" + name + "\"\n\"github.com/seamgo/seam/dl\"\n"
			for _, i := range []string{"hash/crc32", "runtime", "strings", "unsafe"} {
				if strings.Contains(c.main, filepath.Base(i)+".") {
					imports += fmt.Sprintf("%q\n", i)
				}
			}
			main := "package main\nimport (\n" + imports + ")\nfunc check(what string, got, want any) {\nif got != want {\nfmt.Printf(\"%s: %v, want %v\\n\", what, got, want)\nos.Exit(1)\n}\n}\n" +
				"func main() {\nif err := " + name + ".Load(); err != nil {\nfmt.Println(err)\nos.Exit(1)\n}\n" + c.main + "\nfmt.Println(\"all as C has it\")\n}\n"
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o666); err != nil {
				t.Fatal(err)
			}
			goRun(t, dir, nil, "vet", "./...")
			if out := goRun(t, dir, nil, "run", "."); !strings.Contains(out, "all as C has it") {
				t.Error(out)
			}
		})
	}
}

// debian are libraries whose headers are bound where they are installed, with Debian's names
// of the packages that have them.
var debian = []struct{ lib, pkgConfig, dev, headers string }{
	{"libsqlite3.so.0", "sqlite3", "libsqlite3-dev", "sqlite3.h"},
	{"libz.so.1", "zlib", "zlib1g-dev", "zlib.h"},
	{"libzstd.so.1", "libzstd", "libzstd-dev", "zstd.h"},
	{"liblz4.so.1", "liblz4", "liblz4-dev", "lz4.h lz4frame.h"},
	{"libxml2.so.2", "libxml-2.0", "libxml2-dev", "libxml/parser.h libxml/tree.h libxml/xpath.h"},
	{"libcurl.so.4", "libcurl", "libcurl4-openssl-dev", "curl/curl.h"},
	{"libpq.so.5", "libpq", "libpq-dev", "libpq-fe.h"},
	{"libcrypto.so.3", "libcrypto", "libssl-dev", "openssl/evp.h openssl/x509.h openssl/bn.h"},
	{"libgit2.so.1.5", "libgit2", "libgit2-dev", "git2.h"},
	{"liblmdb.so.0", "lmdb", "liblmdb-dev", "lmdb.h"},
	{"libleveldb.so.1d", "", "libleveldb-dev", "leveldb/c.h"},
	{"librocksdb.so.7.8", "rocksdb", "librocksdb-dev", "rocksdb/c.h"},
	{"libuv.so.1", "libuv", "libuv1-dev", "uv.h"},
	{"libSDL2-2.0.so.0", "sdl2", "libsdl2-dev", "SDL.h"},
	{"libEGL.so.1", "egl", "libegl-dev", "EGL/egl.h"},
	{"libvulkan.so.1", "vulkan", "libvulkan-dev", "vulkan/vulkan.h"},
	{"libsodium.so.23", "libsodium", "libsodium-dev", "sodium.h"},
	{"libncursesw.so.6", "ncursesw", "libncurses-dev", "ncurses.h"},
	{"libpcap.so.0.8", "libpcap", "libpcap-dev", "pcap.h"},
	{"libusb-1.0.so.0", "libusb-1.0", "libusb-1.0-0-dev", "libusb.h"},
	{"libavcodec.so.59", "libavcodec", "libavcodec-dev", "libavcodec/avcodec.h"},
	{"libhdf5_serial.so.103", "hdf5-serial", "libhdf5-dev", "hdf5.h"},
	{"libgdal.so.32", "gdal", "libgdal-dev", "gdal.h"},
	{"libproj.so.25", "proj", "libproj-dev", "proj.h"},
	{"libarchive.so.13", "libarchive", "libarchive-dev", "archive.h archive_entry.h"},
	{"libhiredis.so.0.14", "hiredis", "libhiredis-dev", "hiredis/hiredis.h"},
}

// TestDebian binds them and vets what comes of it; gcc checks what is read for 386, too. SEAM_BIND_HEADERS=all takes the large ones
// too, and fails for those that are not installed. Or it names other headers, with their libraries:
// uv.h=libuv.so.1 archive.h=libarchive.so.13
func TestDebian(t *testing.T) {
	needCompiler(t)
	said := os.Getenv("SEAM_BIND_HEADERS")
	list := debian
	if said != "" && said != "all" {
		list = nil
		for pair := range strings.FieldsSeq(said) {
			header, lib, _ := strings.Cut(pair, "=")
			list = append(list, debian[0])
			list[len(list)-1].lib, list[len(list)-1].headers, list[len(list)-1].pkgConfig = lib, header, ""
		}
	}
	dir, _ := folder(t)
	bound := 0
	for i, c := range list {
		if said == "" && i >= 4 && !slices.Contains([]string{"libpq-dev", "libhiredis-dev", "liblmdb-dev"}, c.dev) {
			continue // what takes longer; the ones above have most of what a header may have
		}
		t.Run(c.lib, func(t *testing.T) {
			o := Options{Headers: strings.Fields(c.headers), Libs: []string{c.lib}, Package: fmt.Sprint("lib", i), Command: "seam bind"}
			if c.pkgConfig != "" {
				out, err := exec.Command("pkg-config", "--cflags", c.pkgConfig).Output()
				if err != nil && said == "all" {
					t.Fatalf("%s is not installed", c.dev)
				} else if err != nil {
					t.Skipf("%s is not installed, or pkg-config isn't", c.dev)
				}
				o.CFlags = strings.Fields(string(out))
			}
			r, err := Run(t.Context(), o)
			if err != nil && strings.Contains(err.Error(), "there is no header") && said != "all" {
				t.Skipf("%s is not installed: %v", c.dev, err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d functions, %d names refused, %d checks for %v", r.Functions, len(r.Refused), r.Checks, r.Targets)
			for _, x := range append(r.Refused, on386(t, o)...) {
				// What is no macro and no inline function is bound, or has no form in Go.
				if !slices.ContainsFunc([]string{"macro with parameters", "inline", "variadic", "no such symbol", "va_list", "long double", "vector"}, func(why string) bool { return strings.Contains(x.Why, why) }) {
					t.Errorf("%s: %s", x.Name, x.Why)
				}
			}
			if err := r.Install(filepath.Join(dir, o.Package)); err != nil {
				t.Fatal(err)
			}
			bound++
		})
	}
	if bound > 0 {
		goRun(t, dir, nil, "vet", "./...")
	}
}

// on386 has gcc check what is read of the headers for a 32-bit machine, where no package is written for, and
// returns what it refuses.
func on386(t *testing.T, o Options) []Refused {
	t.Helper()
	// The kernel's headers are those of both.
	x86 := Target{Arch: "386", CC: []string{"gcc", "-m32"}, shared: []string{"/usr/include/x86_64-linux-gnu"}}
	if err := exec.Command("sh", "-c", "echo '#include <stdio.h>' | gcc -m32 -fsyntax-only -x c -").Run(); err != nil {
		t.Log("not checked for 386: gcc is for another machine, or libc6-dev-i386 is not installed")
		return nil
	}
	u, err := read(t.Context(), x86, o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := agreed(t.Context(), u, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("386: %d checks", len(g.asserts))
	return g.refused
}

// Several libraries are alternatives, and who takes them for parts is told.
func TestAlternatives(t *testing.T) {
	needCompiler(t)
	header := filepath.Join(t.TempDir(), "two.h")
	if err := os.WriteFile(header, []byte("double cbrt(double x);\nint puts(const char *s);\nint nobody_has_this(void);\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{Headers: []string{header}, Libs: []string{"libm.so.6", "libc.so.6"}, Package: "two", Command: "seam bind"})
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, x := range r.Refused {
		why[x.Name] = x.Why
	}
	if len(why) != 2 || !strings.HasPrefix(why["puts"], "libc.so.6 has it") || why["nobody_has_this"] != "the library has no such symbol" {
		t.Errorf("not bound: %v", why)
	}
}
