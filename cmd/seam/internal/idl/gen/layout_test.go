package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"order": "order", "Order": "order", "ThriftTest": "thrifttest", "foo_test": "foo_test_thrift", "foo_linux": "foo_linux_thrift",
		"a_arm64": "a_arm64_thrift", "foo_linux_amd64": "foo_linux_amd64_thrift", "linux": "linux", "test": "test", "_x": "x_x",
		"a-b": "a_b", "a.b": "a_b", "1": "1", "": "x", "foo_unix": "foo_unix_thrift",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%s.thrift becomes %s.go, want %s.go", name, got, want)
		}
	}
}

func TestPackages(t *testing.T) {
	for namespace, want := range map[string]string{
		"namespace go a.b.c":                   "a/b/c c",
		"namespace * a.b":                      "a/b b",
		"namespace go x\nnamespace * y":        "x x",
		"namespace py x":                       "some_file some_file",
		"namespace go a.Type":                  "a/Type type_",
		"namespace go a.range":                 "a/range range_",
		"namespace go main":                    "main main_",
		"namespace go a.b_test":                "a/b_test b_test_",
		"namespace go vendor.x":                "xvendor/x x",
		"namespace go _a":                      "x_a x_a",
		"namespace go internal.Orders":         "internal/Orders orders",
		"namespace py p\nnamespace java a.b.c": "some_file some_file",
	} {
		progs := load(t, map[string]string{"dir/Some_File.thrift": namespace}, "dir/Some_File.thrift")
		files, err := Generate(progs, Options{Out: "out"})
		if err != nil {
			t.Fatal(err)
		}
		folder, name, _ := strings.Cut(want, " ")
		if got, path := files[0], filepath.Join("out", filepath.FromSlash(folder), "some_file.go"); got.Path != path || !strings.Contains(string(got.Text), "\npackage "+name+"\n") {
			t.Errorf("%q becomes %s\n%s", namespace, got.Path, got.Text)
		}
	}
}

func TestImports(t *testing.T) {
	progs := load(t, map[string]string{
		"a.thrift": `namespace go top.a
			include "sub/b.thrift"
			include "c.thrift"
			include "d.thrift"
			include "e.thrift"
			struct A { 1: b.B b 2: c.C c 3: d.D d 4: e.E e = 1 }`,
		"sub/b.thrift": "namespace go b\nstruct B {}",
		"c.thrift":     "namespace go thrift\nstruct C {}",
		"d.thrift":     "namespace go top.a\nstruct D {}",
		"e.thrift":     "namespace go errors\nenum E { X = 1 }",
	}, "a.thrift")
	opt := Options{PackagePrefix: "example.com/m", Imports: map[string]string{"b.thrift": "other.org/bees"}}
	if _, err := Generate(progs, opt); err == nil || !strings.Contains(err.Error(), "sub/b.thrift") {
		t.Errorf("a program that is elsewhere is generated here too: %v", err)
	}
	files, err := Generate(progs[1:], opt)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		if f.Path == filepath.FromSlash("top/a/a.go") {
			text = string(f.Text)
		}
	}
	for _, part := range []string{
		"\t\"other.org/bees\"\n", "\tthriftpkg \"example.com/m/thrift\"\n", "\terrorspkg \"example.com/m/errors\"\n",
		"B *bees.B ", "C *thriftpkg.C ", "D *D ", "E errorspkg.E ", "E: errorspkg.E_X",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(part), " ")) {
			t.Errorf("%q is not in\n%.1500s", part, text)
		}
	}
}

func TestRefusedLayouts(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{
			"one file for two", map[string]string{"x/a.thrift": "namespace go n", "y/a.thrift": "namespace go n"},
			"x/a.thrift and y/a.thrift would both become n/a.go",
		},
		{
			"the file of an option", map[string]string{"a.thrift": "namespace go n", "a_kitex.thrift": "namespace go n"},
			"would both become n/a_kitex.go",
		},
		{
			"one name in two files", map[string]string{"a.thrift": "namespace go n\nstruct Foo {}", "b.thrift": "namespace go n\n\nenum foo {}"},
			"b.thrift:3:6: enum foo would be Foo in Go package n, like struct Foo of a.thrift",
		},
		{
			"a constructor that is a type", map[string]string{"a.thrift": "namespace go n\nstruct Foo {}", "b.thrift": "namespace go n\nstruct NewFoo {}"},
			"like the constructor of Foo",
		},
		{
			"namespaces in two cases", map[string]string{"a.thrift": "namespace go n.x", "b.thrift": "namespace go N.x"},
			"differs from n/x only in case",
		},
		{
			"packages that import each other", map[string]string{
				"a.thrift": "namespace go n\ninclude \"b.thrift\"\nstruct A { 1: b.B b }",
				"b.thrift": "namespace go m\ninclude \"c.thrift\"\nstruct B { 1: c.C c }",
				"c.thrift": "namespace go n\nstruct C {}",
			},
			"the Go packages p/n and p/m would import each other",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var roots []string
			for name := range c.files {
				roots = append(roots, name)
			}
			slices.Sort(roots)
			_, err := Generate(load(t, c.files, roots...), Options{PackagePrefix: "p", Kitex: true, Naming: NamingGo})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A file may include one of its own name, into its own package.
func TestSameNameIncluded(t *testing.T) {
	progs := load(t, map[string]string{
		"a.thrift":     "namespace go n\ninclude \"sub/a.thrift\"\nstruct A { 1: list<list<a.B>> b }",
		"sub/a.thrift": "namespace go n\nstruct B { 1: list<list<B>> b }",
	}, "a.thrift")
	files, err := Generate(progs, Options{PackagePrefix: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || filepath.Base(files[0].Path) != "a.go" || filepath.Base(files[1].Path) != "a2.go" || files[1].Program.Path != "a.thrift" {
		t.Errorf("got %v and %v", files[0].Path, files[1].Path)
	}
}

func TestRefusedOptions(t *testing.T) {
	for _, opt := range []Options{{ErrorLayout: "sideways"}, {NoBinary: true, NoCompact: true}, {NoBinary: true, Kitex: true}} {
		if _, err := Generate(nil, opt); err == nil {
			t.Errorf("%+v is accepted", opt)
		}
	}
}

func TestFindPrefix(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("m/go.mod", "// a comment\nmodule example.com/m // behind\n\ngo 1.25\n")
	write("quoted/go.mod", "module \"example.com/q\"\n")
	write("broken/go.mod", "go 1.25\n")
	for folder, want := range map[string]string{
		"m": "example.com/m", "m/a/b": "example.com/m/a/b", "quoted/x": "example.com/q/x",
	} {
		if got, err := FindPrefix(filepath.Join(root, folder)); got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", folder, got, err, want)
		}
	}
	if _, err := FindPrefix(filepath.Join(root, "broken")); err == nil || !strings.Contains(err.Error(), "module line") {
		t.Errorf("go.mod without a module: %v", err)
	}
	if _, err := FindPrefix(root); err == nil || !strings.Contains(err.Error(), "--package-prefix") {
		t.Errorf("no go.mod: %v", err)
	}
}

// Unexported functions of two files in a package must not meet.
func TestPrefixesDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"a_id", "aid", "a_i_d", "ai_d", "a__id", "a_1", "a1", "a", "a2"} {
		progs := load(t, map[string]string{name + ".thrift": ""}, name+".thrift")
		g := &generator{opt: &Options{}, packages: map[*model.Program]*goPackage{}}
		prefix := g.newFile(progs[0]).prefix()
		if other, ok := seen[prefix]; ok {
			t.Errorf("%s and %s both have the prefix %s", name, other, prefix)
		}
		seen[prefix] = name
	}
}
