package vet_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/internal/testenv"
)

// Where a header is missing, what is C's has no type, and nor has what is made of it. All rules look at
// such code too, and none of them may end the program: mediadevices, of which one package needs a header
// that few have, once couldn't be searched at all.
func TestRulesWithoutTypes(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	dirs, err := filepath.Glob("*/testdata/*")
	if err != nil || len(dirs) < 40 {
		t.Fatal(dirs, err)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module headless\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	packages := 0
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, filepath.FromSlash(strings.ReplaceAll(filepath.ToSlash(dir), "/testdata/", "/")))
		if err := os.MkdirAll(to, 0o777); err != nil {
			t.Fatal(err)
		}
		cut := false
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !cut {
				headless := preamble.ReplaceAll(text, []byte("${1}#include <nobody-has-this.h>\n$2"))
				cut = len(headless) != len(text)
				text = headless
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(name)), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if cut {
			packages++
		}
	}
	if packages < 40 {
		t.Fatalf("%d packages have a preamble in which a header can be missing", packages)
	}
	report, err := vet.Run(t.Context(), vet.Options{Go: "go", Dir: root, Packages: []string{"./..."}, Rules: vet.Rules})
	if err != nil {
		t.Fatal(err)
	}
	if report.Packages < packages || len(report.Problems) == 0 {
		t.Errorf("%d packages were searched of %d, problems %q", report.Packages, packages, report.Problems)
	}
}

// preamble finds where the C of a Go file begins.
var preamble = regexp.MustCompile(`(?m)(^/\*\n|^// )((?:#|static |int |// int |enum |typedef ).*\n)`)
