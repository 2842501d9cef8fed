//go:build unix

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Where goroutines share something, the tests say whether they need the race detector or,
// as //seam:test native, that they don't.
func TestGoroutinesAreDeclared(t *testing.T) {
	all, err := declarations(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, module := range []string{".", "./cmd/seam", "./dl", "./thrift"} {
		list, err := testFolders(module + "/...")
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, list...)
	}
	for _, dir := range folders {
		if file := concurrent(t, dir); file != "" && all[dir] == nil {
			t.Errorf("%s starts goroutines or imports sync: say in a test file of the package whether it needs the race detector, as %srace", file, marker)
		}
	}
}

// concurrent returns a file of the folder that starts goroutines or imports sync.
func concurrent(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); strings.HasSuffix(name, ".go") && !strings.HasPrefix(e.Name(), "_") { // which the go command leaves out
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
				return i.Path.Value == `"sync"` || i.Path.Value == `"sync/atomic"`
			})
			for n := range ast.Preorder(file) {
				_, ok := n.(*ast.GoStmt)
				found = found || ok
			}
			if found {
				return name
			}
		}
	}
	return ""
}

func TestDeclarations(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	tree := fstest.MapFS{
		"a/a_test.go":          file("//go:build linux\n\n//seam:test race nocgo\n\npackage a\n"),
		"a/a.go":               file("//seam:test arm\n\npackage a\n"), // no test file
		"b/b_test.go":          file("//seam:test native\n\npackage b\n"),
		"c/c_test.go":          file("package c\n"),
		"testdata/d/d_test.go": file("//seam:test race\n\npackage d\n"),
	}
	got, err := declarations(tree)
	want := map[string][]string{"a": {"race", "nocgo"}, "b": {"native"}}
	if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, %v", got, err)
	}
	tree["a/more_test.go"] = file("//seam:test race\n\npackage a\n")
	if _, err := declarations(tree); err == nil || !strings.Contains(err.Error(), "a/more_test.go: another file") {
		t.Error(err)
	}
	delete(tree, "a/more_test.go")
	tree["c/c_test.go"] = file("package c\n\n//seam:test race\n")
	if _, err := declarations(tree); err == nil || !strings.Contains(err.Error(), "below the package clause") {
		t.Error(err)
	}
	delete(tree, "c/c_test.go")
	tree["e/e_test.go"] = file("//seam:test rice\n\npackage e\n")
	if _, err := declarations(tree); err == nil || !strings.Contains(err.Error(), "e/e_test.go: //seam:test rice: there is no such need") {
		t.Error(err)
	}
}
