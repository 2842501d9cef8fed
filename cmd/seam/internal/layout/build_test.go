package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// Whatever a package is, its types are found, and nothing is left beside it.
func TestPackages(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	const point = "//seam:layout struct point\ntype Point struct { X, Y int32 }\n"
	const c = "/*\nstruct point { int x, y; };\n*/\nimport \"C\"\n\n"
	for _, k := range []struct {
		name    string
		files   map[string]string
		dir     string
		o       func(*Options)
		env     []string
		differs string // what is said of the first pair
	}{
		{name: "package main", files: map[string]string{"m.go": "package main\n\n" + c + point + "func main() {}\n"}},
		{name: "all packages", files: map[string]string{"a/a.go": "package a\n\n" + c + point, "b/b.go": "package b\n", "c/internal/c.go": "package other\n\n" + c + point}, o: func(o *Options) { o.Packages = []string{"./..."} }},
		{name: "a workspace", files: map[string]string{
			"go.mod": "module example.com/unused\n\ngo 1.25\n", "go.work": "go 1.25\n\nuse ./one\nuse ./two\n",
			"one/go.mod": "module example.com/one\n\ngo 1.25\n", "one/one.go": "package one\n\nimport \"example.com/two\"\n\n" + c + point + "var _ two.T\n",
			"two/go.mod": "module example.com/two\n\ngo 1.25\n", "two/two.go": "package two\n\ntype T int\n",
		}, dir: "one", env: []string{"GOWORK="}},
		{name: "build tags", files: map[string]string{"m.go": "//go:build special\n\npackage m\n\n" + c + point, "n.go": "package m\n"}, o: func(o *Options) { o.Tags = "special" }},
		{name: "flags that drop DWARF", files: map[string]string{"m.go": "package m\n\n" + c + point}, env: []string{"GOFLAGS='-ldflags=-s -w' -trimpath", "CGO_CFLAGS=-g0 -O2 -Wall -Werror"}},
		{name: "DWARF 4", files: map[string]string{"m.go": "package m\n\n/*\nstruct point { int a; unsigned b:3, c:7; };\n*/\nimport \"C\"\n\n//seam:layout struct point\ntype P struct { A int32 }\n"},
			env: []string{"CGO_CFLAGS=-gdwarf-4 -gstrict-dwarf"}, differs: "b:3 c:7: C has bit-fields here (2 bytes at 4)"},
		{name: "a type that cgo makes", files: map[string]string{"m.go": "package m\n\n/*\n#pragma pack(1)\nstruct p { char c; double d; };\n*/\nimport \"C\"\n\n//seam:layout struct p\ntype P = C.struct_p\n"},
			differs: "d: cgo left it out: Go can't align a double to 1 (8 bytes at 1)"},
		{name: "a type in each of two preambles", files: map[string]string{
			"a.go": "package m\n\n/*\nstruct point { int x, y; };\n*/\nimport \"C\"\n\n" + point,
			"b.go": "package m\n\n/*\nstruct point { double d; };\n*/\nimport \"C\"\n\n//seam:layout struct point\ntype D struct { D float64 }\n",
		}},
		{name: "a module of Go 1.17 whose path has dots and hyphens", files: map[string]string{"go.mod": "module go-x.example.com/a.b-c/v2\n\ngo 1.17\n", "m.go": "package p\n\n" + c + "type In struct { X int32 }\n\n//seam:layout struct point\ntype Point struct { In; Y int32 }\n"}},
		{name: "arm64", files: map[string]string{"m.go": "package m\n\n" + c + point}, env: []string{"GOARCH=arm64", "CC=aarch64-linux-gnu-gcc"}},
		{name: "arm, where a word has 32 bits", files: map[string]string{"m.go": "package m\n\n/*\nstruct point { int x; long long y; };\n*/\nimport \"C\"\n\n//seam:layout struct point\ntype P struct { X int32; Y int64 }\n"},
			env: []string{"GOARCH=arm", "CC=arm-linux-gnueabihf-gcc"}, differs: "Y: at 4 in Go, at 8 in C | insert _ [4]byte before Y"},
	} {
		t.Run(k.name, func(t *testing.T) {
			for _, e := range k.env {
				name, value, _ := strings.Cut(e, "=")
				if name == "CC" {
					testenv.Foreign(t, value)
				}
				t.Setenv(name, value)
			}
			dir := module(t, k.files)
			before := files(t, dir)
			out, err := runs(t, filepath.Join(dir, k.dir), k.o)
			if err != nil {
				t.Fatal(err)
			}
			all := said(&out.Report.Pairs[0])
			switch {
			case k.differs == "" && out.Report.Differing() > 0:
				t.Errorf("they differ:\n%s", all)
			case k.differs != "" && !strings.Contains(all, k.differs):
				t.Errorf("no %q in\n%s", k.differs, all)
			}
			if after := files(t, dir); after != before {
				t.Errorf("the folder has changed from %s to %s", before, after)
			}
		})
	}
}

// files are the names of all files below a folder.
func files(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(path, dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func TestGoVersions(t *testing.T) {
	needC(t)
	dir := module(t, map[string]string{"m.go": smallGo("//seam:layout struct point"), "n.go": "package m\n\nimport \"C\"\n\n//seam:layout point_t\ntype G = Pair[int32]\n\ntype Pair[T any] struct { X, Y T }\n"})
	for _, version := range testenv.OtherVersions() {
		t.Run(version, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", version)
			out, err := runs(t, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if out.Report.Go != version || out.Report.Differing() > 0 || len(out.Report.Pairs) != 2 {
				t.Errorf("%+v", out.Report)
			}
		})
	}
}
