package model

import (
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
