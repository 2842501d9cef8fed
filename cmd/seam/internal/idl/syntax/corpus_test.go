package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the .want files")

// corpus returns the files of a folder of the corpus, by name.
func corpus(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "testdata", folder, "*.thrift"))
	if err != nil || len(names) < 15 {
		t.Fatalf("%s: %d files; %v", folder, len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = src
	}
	return files
}

// golden compares got to the contents of a file, or writes them.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is something else now:\n%s", name, firstDifference(string(want), got))
	}
}

func TestGoodFilesParse(t *testing.T) {
	for name, src := range corpus(t, "ok") {
		f, errs := Parse(name, src)
		if errs.Fatal() {
			t.Errorf("%v", errs)
		}
		if strings.Contains(name, "old") != (len(errs) > 0) && name != "types.thrift" {
			t.Errorf("%s: warnings: %v", name, errs)
		}
		if f.Path != name {
			t.Errorf("the path of %s is %q", name, f.Path)
		}
	}
}

// Each bad file has a .want file with all that is said of it.
func TestBadFilesAreExplained(t *testing.T) {
	for name, src := range corpus(t, "bad") {
		t.Run(name, func(t *testing.T) {
			f, errs := Parse(name, src)
			if !errs.Fatal() || f == nil {
				t.Errorf("it was accepted: %v, %v", f, errs)
			}
			golden(t, filepath.Join("..", "testdata", "bad", strings.TrimSuffix(name, ".thrift")+".want"), errs.Error()+"\n")
		})
	}
}

func TestCorpusPrinted(t *testing.T) {
	for name, src := range corpus(t, "ok") {
		t.Run(name, func(t *testing.T) {
			if err := checkPrint(src); err != nil {
				t.Fatal(err)
			}
			text, errs := Format(name, src)
			if errs.Fatal() {
				t.Fatal(errs)
			}
			golden(t, filepath.Join("testdata", "print", strings.TrimSuffix(name, ".thrift")+".want"), string(text))
		})
	}
}

func TestFormatRefusesMistakes(t *testing.T) {
	text, errs := Format("a.thrift", []byte("struct A {"))
	if text != nil || errs.Error() != `a.thrift:1:11: the struct A, opened on line 1, isn't closed: add "}"` {
		t.Errorf("text %q, errors %v", text, errs)
	}
}

func FuzzParse(f *testing.F) {
	for _, folder := range []string{"ok", "bad"} {
		for _, src := range corpus(f, folder) {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, errs := Parse("a.thrift", src)
		if file == nil {
			t.Fatal("no file")
		}
		if len(errs) > 2*maxErrors+1 {
			t.Errorf("%d messages", len(errs))
		}
		lines := strings.Count(string(src), "\n") + 1
		for i, e := range errs {
			if e.Pos.Line < 1 || e.Pos.Line > lines || e.Pos.Col < 1 || e.Message == "" || len(e.Message) > 600 {
				t.Errorf("no good message for a file of %d lines: %v", lines, e)
			}
			if i > 0 && e.Pos.Line < errs[i-1].Pos.Line {
				t.Errorf("%v comes behind %v", e, errs[i-1])
			}
		}
		for _, d := range file.Decls {
			if d.DeclName().Name == "" {
				t.Errorf("a definition without a name: %#v", d)
			}
			d.DeclComments().Text()
		}
	})
}

func FuzzPrint(f *testing.F) {
	for _, src := range corpus(f, "ok") {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if err := checkPrint(src); err != nil {
			t.Fatal(err)
		}
	})
}
