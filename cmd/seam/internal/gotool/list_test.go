package gotool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes the files of a module in a new folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	t.Setenv("CGO_ENABLED", "1")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const goMod = "module example.com/m\n\ngo 1.25\n"

func TestList(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":        goMod,
		"a/a.go":        "package a\n\n// #cgo CFLAGS: -DX=1 -I${SRCDIR}/include\n// #cgo LDFLAGS: -lm\nimport \"C\"\n",
		"a/more.go":     "//go:build more\n\npackage a\n\nimport \"C\"\n",
		"a/a.c":         "int x;\n",
		"a/b.cc":        "int y;\n",
		"plain/p.go":    "package plain\n\nimport _ \"example.com/m/a\"\n",
		"ignored/x.txt": "",
	})
	for _, c := range []struct {
		flags []string
		files []string
	}{
		{nil, []string{"a.go"}},
		{[]string{"-tags=more"}, []string{"a.go", "more.go"}},
	} {
		list, err := List(t.Context(), "go", dir, c.flags, "./...")
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 2 || !slices.Equal(list[0].CgoFiles, c.files) || !list[0].UsesCgo() || list[1].UsesCgo() {
			t.Fatalf("flags %q: %+v", c.flags, list)
		}
		p := list[0]
		if !slices.Equal(p.CgoCFLAGS, []string{"-DX=1", "-I" + filepath.Join(dir, "a/include")}) ||
			!slices.Equal(p.CFiles, []string{"a.c"}) || !slices.Equal(p.CXXFiles, []string{"b.cc"}) || !p.Module.Main {
			t.Errorf("%+v", p)
		}
	}
}

func TestListErrors(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":    goMod,
		"a/a.go":    "package a\n\nimport _ \"example.com/m/missing\"\n",
		"b/b.go":    "package b\n\nimport _ \"example.com/m/a\"\n",
		"good/g.go": "package good\n",
	})
	list, err := List(t.Context(), "go", dir, []string{"-deps"}, "./a", "./b", "./good")
	if err == nil || strings.Count(err.Error(), "\n") > 2 || !strings.Contains(err.Error(), "a.go:3:8") || !strings.Contains(err.Error(), "example.com/m/missing") {
		t.Errorf("error %v, want the place of the import, once", err)
	}
	if !slices.ContainsFunc(list, func(p Package) bool { return p.ImportPath == "example.com/m/good" }) {
		t.Error("the package without a mistake is not in the answer")
	}
	if _, err := List(t.Context(), "go", dir, []string{"-nonsense"}, "./a"); err == nil || !strings.Contains(err.Error(), "go list: ") {
		t.Errorf("an unknown flag: error %v", err)
	}
	if _, err := List(t.Context(), filepath.Join(dir, "go"), dir, nil, "./a"); err == nil {
		t.Error("no error without a go command")
	}
}

func TestModuleRoot(t *testing.T) {
	dir := write(t, map[string]string{
		"one/go.mod":     "module example.com/one\n\ngo 1.25\n",
		"one/sub/s.go":   "package sub\n",
		"work/go.work":   "go 1.25\n\nuse (\n\t./a\n\t./b\n)\n",
		"work/a/go.mod":  "module example.com/a\n\ngo 1.25\n",
		"work/b/go.mod":  "module example.com/b\n\ngo 1.25\n",
		"work/b/x/x.go":  "package x\n",
		"work/other/o.c": "",
		"none/o.c":       "",
	})
	for _, c := range []struct{ in, root, path string }{
		{"one/sub", "one", "example.com/one"},
		{"work/b/x", "work/b", "example.com/b"},
		{"work/a", "work/a", "example.com/a"},
		{"work/other", "work", ""},
		{"none", "none", ""},
	} {
		root, path, err := ModuleRoot(t.Context(), "go", filepath.Join(dir, c.in))
		if err != nil || root != filepath.Join(dir, c.root) || path != c.path {
			t.Errorf("%s: %q, %q, %v; want %q, %q", c.in, root, path, err, filepath.Join(dir, c.root), c.path)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text          string
		quoted, shell []string // nil for an error
	}{
		{"", []string{}, []string{}},
		{" -O2  -g\n", []string{"-O2", "-g"}, []string{"-O2", "-g"}},
		{`"a b" 'c "d'`, []string{"a b", `c "d`}, []string{"a b", `c "d`}},
		{`-Da="b c"`, []string{`-Da="b`, `c"`}, []string{"-Da=b c"}},
		{`a\ b`, []string{`a\`, "b"}, []string{"a b"}},
		{`"a\"b\c"`, []string{`a\`, `b\c"`}, []string{`a"b\c`}},
		{`'a`, nil, nil},
		{`a\`, []string{`a\`}, nil},
		{`"" x`, []string{"", "x"}, []string{"", "x"}},
	} {
		for _, how := range []struct {
			name  string
			split func(string) ([]string, error)
			want  []string
		}{{"quoted", SplitQuoted, c.quoted}, {"shell", splitShell, c.shell}} {
			got, err := how.split(c.text)
			if (err != nil) != (how.want == nil) || err == nil && !slices.Equal(got, how.want) {
				t.Errorf("%s, %q: %q, %v; want %q", how.name, c.text, got, err, how.want)
			}
		}
	}
}

// FuzzSplit splits what pkg-config may answer and what a variable may hold.
func FuzzSplit(f *testing.F) {
	f.Add(`-I/usr/include "a\"b" 'c' d\ e`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, split := range []func(string) ([]string, error){SplitQuoted, splitShell} {
			fields, err := split(text)
			total := 0
			for _, field := range fields {
				total += len(field)
			}
			if err == nil && total > len(text) {
				t.Errorf("%q became longer: %q", text, fields)
			}
		}
	})
}

func TestJoinQuoted(t *testing.T) {
	for want, words := range map[string][]string{
		"":                     {},
		"/bin/seam toolexec":   {"/bin/seam", "toolexec"},
		`'/my bin/seam' '' x`:  {"/my bin/seam", "", "x"},
		`"it's" 'say "hello"'`: {"it's", `say "hello"`},
	} {
		got, err := JoinQuoted(words)
		if err != nil || got != want {
			t.Errorf("%q becomes %s, %v, want %s", words, got, err, want)
		}
		if back, err := SplitQuoted(got); err != nil || !slices.Equal(back, words) {
			t.Errorf("%s is split into %q, %v", got, back, err)
		}
	}
	if got, err := JoinQuoted([]string{`it's "here"`}); err == nil {
		t.Errorf("both kinds of quotation marks become %s", got)
	}
}
