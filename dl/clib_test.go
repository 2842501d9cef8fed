//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// compileC makes a shared library of C's text.
func compileC(t testing.TB, name, text string, flags ...string) string {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	cc = testenv.Tool(t, cc)
	dir := t.TempDir()
	source, lib := filepath.Join(dir, name+".c"), filepath.Join(dir, name+".so")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-shared", "-fPIC", "-w", "-Wno-psabi", "-O1", "-o", lib, source}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", cc, strings.Join(args, " "), err, out)
	}
	return lib
}

func openC(t testing.TB, name, text string, flags ...string) *Lib {
	t.Helper()
	lib, err := Open(compileC(t, name, text, flags...))
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// ctest is testdata/ctest.c, loaded once.
var ctest struct {
	sync.Once
	lib *Lib
	dir string
}

func testLib(t testing.TB) *Lib {
	t.Helper()
	ctest.Do(func() {
		if ready := os.Getenv("SEAM_TEST_LIB"); ready != "" { // a child's
			var err error
			if ctest.lib, err = Open(ready); err != nil {
				t.Fatal(err)
			}
			return
		}
		text, err := os.ReadFile("testdata/ctest.c")
		if err != nil {
			t.Fatal(err)
		}
		path := compileC(t, "ctest", string(text), "-lpthread")
		// The test's folder goes when the test ends; others use the library too.
		if ctest.dir, err = os.MkdirTemp("", "seam-dl"); err != nil {
			t.Fatal(err)
		}
		kept := filepath.Join(ctest.dir, "ctest.so")
		if out, err := exec.Command("cp", path, kept).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if ctest.lib, err = Open(kept); err != nil {
			t.Fatal(err)
		}
	})
	if ctest.lib == nil {
		t.Skip("the test library was not built")
	}
	return ctest.lib
}

func leafOf[A any](t testing.TB, name string) Leaf[A] {
	t.Helper()
	f, err := LeafOf[A](testLib(t), name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func funcOf[A any](t testing.TB, name string, options ...Option) Func[A] {
	t.Helper()
	f, err := Of[A](testLib(t), name, options...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func callbackOf[A any](t testing.TB, name string, fn func(*A)) *Callback {
	t.Helper()
	c, err := NewCallback(name, fn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Release)
	return c
}
