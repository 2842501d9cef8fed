package gen

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Package sample is generated code that is compiled and tested as it is
// committed; for Kitex and Apache there is only text, of what they add.
func TestGolden(t *testing.T) {
	progs, errs := model.Load([]string{"internal/sample/idl/sample.thrift"}, model.Options{})
	if errs.Fatal() {
		t.Fatal(errs)
	}
	opt := Options{Out: "internal", PackagePrefix: "github.com/seamgo/seam/cmd/seam/internal/idl/gen/internal", Naming: NamingGo, Apache: true}
	files, err := Generate(progs, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Naming, opt.Apache, opt.Kitex = "", false, true
	forKitex, err := Generate(progs, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forKitex {
		switch dir, name := filepath.Split(f.Path); {
		case filepath.Base(dir) != "sample" && filepath.Base(dir) != "shared": // a service's package
			files = append(files, File{Path: filepath.Join("testdata", "kitex", filepath.Base(dir), name+".txt"), Text: f.Text})
		case strings.HasSuffix(name, "_kitex.go"):
			files = append(files, f)
		}
	}
	for _, f := range files {
		golden := f.Path
		switch name := filepath.Base(f.Path); name {
		case "sample_kitex.go", "sample_apache.go", "shared_kitex.go", "shared_apache.go":
			golden = filepath.Join("testdata", name+".txt") // what it imports isn't here
		default:
			f.Text = bytes.Replace(f.Text, []byte("// Options: --naming=go --apache\n"), nil, 1)
		}
		old, err := os.ReadFile(golden)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Equal(old, f.Text) {
			continue
		}
		if !*update {
			t.Errorf("%s differs at line %d: look at it with go test -run TestGolden -update and git diff", golden, firstDifference(old, f.Text))
			continue
		}
		if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// The text depends on nothing that changes from run to run.
func TestOutputIsStable(t *testing.T) {
	var first []File
	for range 5 {
		progs, errs := model.Load([]string{"internal/sample/idl/sample.thrift"}, model.Options{})
		if errs.Fatal() {
			t.Fatal(errs)
		}
		files, err := Generate(progs, Options{PackagePrefix: "p", Kitex: true, Apache: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range first {
			if !bytes.Equal(first[i].Text, files[i].Text) {
				t.Fatalf("%s differs between two runs at line %d", files[i].Path, firstDifference(first[i].Text, files[i].Text))
			}
		}
		first = files
	}
}
