package release

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

var update = flag.Bool("update", false, "write what the packages export to testdata/api")

// The packages that programs of users are compiled against.
var public = strings.Fields("coro coro/netio dl include leaf mem offload prof prof/heap ring thrift thrift/codec thrift/descriptor thrift/fieldmask thrift/generic thrift/health thrift/sqljson thrift/thrifthttp thrift/validate weld")

// What the packages export changes only on purpose: testdata/api has it as it is on linux/amd64 with cgo.
func TestAPI(t *testing.T) {
	root := testenv.Repository(t)
	for _, pkg := range public {
		got := api(t, filepath.Join(root, filepath.FromSlash(pkg)))
		golden := filepath.Join("testdata", "api", strings.ReplaceAll(pkg, "/", "_")+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		before, now := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
		for _, line := range before {
			if !slices.Contains(now, line) {
				t.Errorf("package %s no longer has %q, which programs may use", pkg, line)
			}
		}
		for _, line := range now {
			if !slices.Contains(before, line) {
				t.Errorf("package %s has %q now", pkg, line)
			}
		}
	}
	if t.Failed() {
		t.Log("if that is meant: go test ./internal/release -run API -update, and a line in CHANGELOG.md")
	}
}

// api is what a package exports, a declaration a line.
func api(t *testing.T, dir string) []byte {
	t.Helper()
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", true
	pkg, err := context.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var lines []string
	for _, name := range append(pkg.GoFiles, pkg.CgoFiles...) {
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if !ast.FileExports(file) {
			continue
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				d.Body = nil
				lines = append(lines, oneLine(t, set, d))
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if d.Tok != token.IMPORT {
						lines = append(lines, d.Tok.String()+" "+oneLine(t, set, withoutValue(d.Tok, s)))
					}
				}
			}
		}
	}
	slices.Sort(lines)
	return []byte(strings.Join(slices.Compact(lines), "\n") + "\n")
}

// withoutValue leaves out what a variable is set to, and a type's comments.
func withoutValue(tok token.Token, s ast.Spec) ast.Spec {
	switch s := s.(type) {
	case *ast.ValueSpec:
		if tok == token.VAR {
			s.Values = nil
		}
	case *ast.TypeSpec:
		ast.Inspect(s, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				f.Doc, f.Comment = nil, nil
			}
			return true
		})
	}
	return s
}

// oneLine prints a declaration on one line.
func oneLine(t *testing.T, set *token.FileSet, node any) string {
	t.Helper()
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, set, node); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
