package gen

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// What is made of parts does what is made in one piece: testdata/parts has structs of all kinds of fields, and a
// program that compares the two.
func TestParts(t *testing.T) {
	t.Parallel()
	module := newModule(t, "example.com/parts")
	for name, opt := range map[string]Options{
		"parted": {together: 3}, "whole": {together: 1 << 20},
		"partedviews": {together: 3, Views: true, UTF8: true, Unknown: true}, "wholeviews": {together: 1 << 20, Views: true, UTF8: true, Unknown: true},
	} {
		progs, errs := model.Load([]string{"testdata/parts/large.thrift"}, model.Options{})
		if errs.Fatal() {
			t.Fatal(errs)
		}
		opt.Out, opt.PackagePrefix = filepath.Join(module, name), "example.com/parts/"+name
		files, err := Generate(progs, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if made, err := format.Source(file.Text); err != nil || !bytes.Equal(made, file.Text) {
				t.Errorf("%s: not in gofmt's form: %v", name, err)
			}
		}
		writeFiles(t, files)
	}
	main, err := os.ReadFile("testdata/parts/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "main.go"), main, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := goIn(module, "run", "."); err != nil || out != "alike\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
