package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/internal/testenv"
)

// Clients and servers of testdata/rpc are generated with several options and
// call each other: testdata/rpc/calls_test.go.txt.
func TestServicesAnswer(t *testing.T) {
	program, err := os.ReadFile("testdata/rpc/calls_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	progs, errs := model.Load([]string{"testdata/rpc/echo.thrift"}, model.Options{})
	if errs.Fatal() {
		t.Fatal(errs)
	}
	module := newModule(t, "calls")
	const binary, compact = "thrift.Binary, thrift.OldBinary", "thrift.Compact"
	for i, c := range []struct {
		opt       Options
		protocols string
	}{
		{Options{}, binary + ", " + compact},
		{Options{Views: true, Unknown: true, UTF8: true, ErrorLayout: LayoutOutlined}, binary + ", " + compact},
		{Options{NoCompact: true, ErrorLayout: LayoutInline}, binary},
		{Options{NoBinary: true, UTF8: true}, compact},
	} {
		name := fmt.Sprintf("n%d", i)
		c.opt.Out = filepath.Join(module, name)
		c.opt.PackagePrefix = "calls/" + name
		files, err := Generate(progs, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		writeFiles(t, files)
		cut := `\x80\x01\x00\x01\x00\x00\x00\x04ping\x00\x00\x00\x09\x0b\x00\x02\x00\x00\x00\x09k`
		if c.opt.NoBinary {
			cut = `\x82\x21\x09\x04ping\x28\x09k`
		}
		text := strings.NewReplacer("PACKAGE", name, "PREFIX", c.opt.PackagePrefix, "PROTOCOLS", c.protocols,
			"UTF8;", fmt.Sprintf("%v;", c.opt.UTF8), "CUT", cut).Replace(string(program))
		if err := os.WriteFile(filepath.Join(c.opt.Out, "calls_test.go"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := goIn(module, "test", "./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNamesOfMethods(t *testing.T) {
	fn := func(names ...string) (list []*model.Function) {
		for _, name := range names {
			list = append(list, &model.Function{Name: name})
		}
		return list
	}
	base := &model.Service{Name: "Base", Functions: fn("get_user", "base_client", "other_client")}
	s := &model.Service{Name: "Other", Extends: base, Functions: fn("getUser", "GetUser", "baseClient", "url_of", "otherClient")}
	want := []string{"GetUser_", "GetUser__", "BaseClient__", "URLOf", "OtherClient_"}
	name := func(s *model.Service) string { return s.Name }
	names := methodNames(s, NamingGo, name)
	for i, f := range s.Functions {
		if names[f] != want[i] {
			t.Errorf("%s is %s, want %s", f.Name, names[f], want[i])
		}
	}
	// Those of the base don't depend on who extends it.
	for f, method := range methodNames(base, NamingGo, name) {
		if names[f] != method {
			t.Errorf("%s is %s in the base, %s in what extends it", f.Name, method, names[f])
		}
	}
}

// Generated code that is committed is what the generator writes today.
func TestExamplesAreUpToDate(t *testing.T) {
	examples := filepath.Join(testenv.Repository(t), "examples")
	for _, path := range thriftFiles(t, examples) {
		if filepath.Base(filepath.Dir(path)) == "testdata" {
			continue // a test generates it
		}
		progs, errs := model.Load([]string{path}, model.Options{})
		if errs.Fatal() {
			t.Fatal(errs)
		}
		out, kitex := filepath.Dir(path), false
		if dir := filepath.Join(out, "kitex_gen"); isFolder(dir) { // where --kitex puts its code
			out, kitex = dir, true
		}
		prefix, err := FindPrefix(out)
		if err != nil {
			t.Fatal(err)
		}
		files, err := Generate(progs, Options{Out: out, PackagePrefix: prefix, Kitex: kitex})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if got, err := os.ReadFile(f.Path); err != nil || string(got) != string(f.Text) {
				t.Errorf("%s is not what is generated from %s (%v): run go generate there", f.Path, path, err)
			}
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
