//go:build linux && cgo

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --fix --verify builds and tests before and afterwards, says what it looked at, and takes back
// what makes a test fail.
func TestVetFixVerifies(t *testing.T) {
	const passing = "package leaky\n\nimport \"testing\"\n\nfunc TestLen(t *testing.T) {\n\tif Len(\"hello\") != 5 {\n\t\tt.Fatal(Len(\"hello\"))\n\t}\n}\n"
	// What a test can hold against a change that is right is how the source looks.
	const against = `package leaky

import (
	"os"
	"strings"
	"testing"
)

func TestSource(t *testing.T) {
	text, err := os.ReadFile("leaky.go")
	if err != nil || strings.Contains(string(text), "defer") {
		t.Fatal("somebody has deferred something")
	}
}
`
	failing := "package leaky\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Fatal(\"as ever\") }\n"
	for _, c := range []struct {
		name   string
		files  map[string]string
		args   string
		code   int
		says   string
		mended bool
	}{
		{"good, and one fails before", map[string]string{"a_test.go": passing, "b_test.go": failing}, "", exitOK, "verified: the packages build, and 1 test that passed before the changes passes after them; what failed before is not compared: example.com/leaky, example.com/leaky TestFails", true},
		{"a test against it", map[string]string{"a_test.go": passing, "b_test.go": against}, "", exitFinding, "the changes were taken back: example.com/leaky TestSource fails with them and passes without: b_test.go:12: somebody has deferred something", false},
		{"doesn't link", map[string]string{"main/main.go": "package main\n\n// #cgo LDFLAGS: -lnosuchlibrary\nimport \"C\"\n\nfunc main() {}\n"}, "./...", exitUsage, "nothing was changed", false},
		{"seen", map[string]string{"a_test.go": passing}, "--confirm --rules cstring-leak", exitOK, "of memory-leak, double-free, finalizer-free, 1 mistake seen before and 0 now", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inModule(t)
			writeFile(t, "leaky.go", leaky)
			for name, text := range c.files {
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				writeFile(t, name, text)
			}
			seam(t, append([]string{"vet", "--fix", "--verify"}, strings.Fields(c.args)...)...).must(t, c.code, "", c.says)
			text, err := os.ReadFile("leaky.go")
			if err != nil || strings.Contains(string(text), "defer C.free") != c.mended || !c.mended && string(text) != leaky {
				t.Errorf("mended should be %v (%v):\n%s", c.mended, err, text)
			}
		})
	}
	seam(t, "vet", "--verify").must(t, exitUsage, "", "--verify is of --fix")
}
