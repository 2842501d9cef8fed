package model_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

var update = flag.Bool("update", false, "write the .want files of testdata/bad-model")

// TestBadModels loads files that parse, and compares all that is said of each
// to the .want file beside it.
func TestBadModels(t *testing.T) {
	t.Chdir("../testdata/bad-model")
	names, err := filepath.Glob("*.thrift")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files; %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(name, ".thrift"), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, errs := syntax.Parse(name, src); errs.Fatal() {
				t.Fatalf("it doesn't parse, so nothing else is tested:\n%v", errs)
			}
			progs, errs := model.Load([]string{name}, model.Options{})
			if !errs.Fatal() || progs != nil {
				t.Errorf("it was accepted")
			}
			want := strings.TrimSuffix(name, ".thrift") + ".want"
			got := errs.Error() + "\n"
			if *update {
				if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			expected, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(expected) {
				t.Errorf("got\n%s\nwant\n%s", got, expected)
			}
		})
	}
}
