package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "inner", "arule", "testdata")
	for name, text := range map[string]string{
		"bad/a.go":  "package bad\n\n// #cgo LDFLAGS: -lx\n// int f(void);\nimport \"C\"\n\nfunc f() {\n\tx() // want error \"one\"\n\ty() // want note \"a price\"\n}\n\nfunc g() {\n\tx()\n\t// want-1 warning \"two\"\n}\n",
		"good/a.go": "package good\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(dir)))
	cases, err := readCases(root, "inner")
	if err != nil || len(cases) != 1 || cases[0].name != "arule" || len(cases[0].mistakes) != 2 {
		t.Fatalf("%+v, %v", cases, err)
	}
	bad, good := filepath.Join(dir, "bad", "a.go"), filepath.Join(dir, "good", "a.go")
	said := []finding{{bad, 7}, {bad, 13}, {good, 1}, {filepath.Join(dir, "other.go"), 1}}
	if n, of := cases[0].judge(said, false); n != 2 || of != 1 {
		t.Errorf("by function: %d found, %d of the good form", n, of)
	}
	if n, of := cases[0].judge(said, true); n != 1 || of != 1 {
		t.Errorf("by line: %d found, %d of the good form", n, of)
	}
	c, err := preamble(bad)
	if err != nil || !strings.HasPrefix(string(c), "#line 3 ") || strings.Contains(string(c), "#cgo") || !strings.Contains(string(c), " int f(void);\n") {
		t.Errorf("%q, %v", c, err)
	}
}

func TestReading(t *testing.T) {
	for name, c := range map[string]struct {
		read func([]byte) ([]finding, error)
		text string
		want []finding // nil: an error
	}{
		"seam":        {readSeam, `{"findings": [{"severity": "error", "file": "a.go", "line": 3}, {"severity": "note", "file": "a.go", "line": 4}]}`, []finding{{"a.go", 3}}},
		"go":          {readGo, "# p\n{\"p\": {\"copylocks\": [{\"posn\": \"/d/a.go:12:3\", \"message\": \"m\"}]}}\n{}\n", []finding{{"/d/a.go", 12}}},
		"go failed":   {readGo, `{"p": {"cgocall": {"error": "no types"}}}`, nil},
		"staticcheck": {readStaticcheck, `{"code":"SA9001","location":{"file":"a.go","line":7}}` + "\n", []finding{{"a.go", 7}}},
		"no compile":  {readStaticcheck, `{"code":"compile","location":{"file":"a.go","line":7},"message":"m"}`, nil},
		"gosec":       {readGosec, `{"Issues": [{"file": "a.go", "line": "3-5"}]}`, []finding{{"a.go", 3}}},
		"no JSON":     {readGosec, `panic`, nil},
	} {
		got, err := c.read([]byte(c.text))
		if !slices.Equal(got, c.want) && c.want != nil || (err != nil) != (c.want == nil) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
