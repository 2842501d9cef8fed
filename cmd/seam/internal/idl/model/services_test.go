package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Field 0 of what a function sends back is its result.
func TestAnExceptionIsNotTheResult(t *testing.T) {
	for result, refused := range map[string]bool{"i32": true, "void": false} {
		path := filepath.Join(t.TempDir(), "zero.thrift")
		text := "exception X {}\nservice S {\n  " + result + " f() throws (0: X x)\n}\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, errs := Load([]string{path}, Options{KeepNegativeIDs: true})
		if errs.Fatal() != refused || refused && !strings.Contains(errs.Error(), "S.f throws x as field 0, which is the result") {
			t.Errorf("%s: %v", result, errs)
		}
		if _, errs := Load([]string{path}, Options{}); errs.Fatal() { // it gets another id
			t.Errorf("%s without negative ids: %v", result, errs)
		}
	}
}

func TestShard(t *testing.T) {
	for text, want := range map[string]string{
		`void f(1: string user) (seam.shard = "user")`:      "",
		`void f(1: i64 a, 2: binary b) (seam.shard = "b")`:  "",
		`void f(1: string user) (seam.shard = "customer")`:  "seam.shard of S.f is customer, which is none of its arguments",
		`void f(1: list<string> all) (seam.shard = "all")`:  "seam.shard of S.f is all, a list<string>: name a string, a binary or an integer",
		`void f(1: double d, 2: bool b) (seam.shard = "d")`: "seam.shard of S.f is d, a double",
	} {
		path := filepath.Join(t.TempDir(), "shard.thrift")
		if err := os.WriteFile(path, []byte("service S {\n  "+text+"\n}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		progs, errs := Load([]string{path}, Options{})
		if errs.Fatal() != (want != "") || want != "" && !strings.Contains(errs.Error(), want) {
			t.Errorf("%s: %v, want %q", text, errs, want)
		}
		if want == "" && progs[0].Services[0].Functions[0].Shard == nil {
			t.Errorf("%s: no argument", text)
		}
	}
}

func TestIdempotent(t *testing.T) {
	for value, want := range map[string]string{"": "true", ` = "1"`: "true", ` = "true"`: "true", ` = "false"`: "false", ` = "no"`: `seam.idempotent of S.f is "no": it is true, as without a value, or false`} {
		progs, errs := Load([]string{"a.thrift"}, Options{ReadFile: func(string) ([]byte, error) {
			return []byte("service S { void f() (seam.idempotent" + value + ") }"), nil
		}})
		got := ""
		if errs.Fatal() {
			got = errs.Error()
		} else {
			got = fmt.Sprint(progs[0].Services[0].Functions[0].Idempotent)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
