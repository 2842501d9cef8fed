//go:build cgo && unix

package offload_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// The header is C11 and C++17, without a warning.
func TestHeader(t *testing.T) {
	testenv.OtherProgram(t)
	include, err := filepath.Abs("../include")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "use.c")
	code := "#include <seam/offload.h>\nstatic int64_t f(const seam_token *t, void *arg) { (void)arg; return seam_token_cancelled(t) + seam_token_deadline(t); }\nseam_offload_fn g = f;\n"
	if err := os.WriteFile(file, []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	cc := strings.Fields(cmp.Or(os.Getenv("CC"), "gcc"))
	for _, language := range []struct{ name, standard string }{{"c", "-std=c11"}, {"c++", "-std=c++17"}} {
		t.Run(language.name, func(t *testing.T) {
			compile := func(args ...string) ([]byte, error) {
				return exec.Command(cc[0], append(append(cc[1:], "-x", language.name, language.standard, "-fsyntax-only"), args...)...).CombinedOutput()
			}
			if _, err := compile(os.DevNull); err != nil {
				t.Skipf("%s has no compiler for %s", cc[0], language.name)
			}
			if out, err := compile("-Wall", "-Wextra", "-Werror", "-pedantic", "-I"+include, file); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
