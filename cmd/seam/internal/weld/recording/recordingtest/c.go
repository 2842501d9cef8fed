package recordingtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Compiler is the C compiler of that name; the test is skipped without it.
func Compiler(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here", name)
	}
	return path
}

// Headers writes a verb's C into a folder.
func Headers(t *testing.T, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// CompilesUnderAnyFlags tests that C with a verb's headers is compiled with the
// flags of packages that the verb doesn't know.
func CompilesUnderAnyFlags(t *testing.T, files map[string][]byte, text string) {
	dir := Headers(t, files)
	file := filepath.Join(dir, "x.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "clang", "aarch64-linux-gnu-gcc"} {
		t.Run(cc, func(t *testing.T) {
			cc := Compiler(t, cc)
			for _, flags := range []string{
				"-O2", "-O0", "-O3 -fPIC", "-O3 -fPIC -fvisibility=hidden", "-std=c89 -pedantic-errors -Wall -Wextra -Werror",
				"-ansi -Wall -Werror -Wdeclaration-after-statement -Wshadow -Wconversion",
				"-std=c99 -Wall -Werror -Wmissing-prototypes -Wstrict-prototypes -Wlong-long", "-std=c17 -Wall -Werror", "-fno-builtin -Os",
			} {
				args := append(strings.Fields(flags), "-c", "-o", filepath.Join(dir, "x.o"), file)
				if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", flags, err, out)
				}
			}
		})
	}
}

// Same is C that is compiled only if constants of C have these values.
func Same(constants map[string]int) string {
	var b strings.Builder
	for name, value := range constants {
		fmt.Fprintf(&b, "extern char seam_same_%s[%[1]s == %d ? 1 : -1];\n", name, value)
	}
	return b.String()
}

// Run runs a program that records in the folder that the variable names, and reads
// its only record. Killed says that it has to end by a signal.
func Run[T any](t *testing.T, exe, what, variable string, killed bool, read func(name string) (T, error)) (raw T, pid int) {
	t.Helper()
	records := t.TempDir()
	cmd := exec.Command(exe, what)
	cmd.Env = append(os.Environ(), variable+"="+records)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if killed != (errors.As(err, &exit) && exit.ExitCode() < 0) || err != nil && !killed {
		t.Fatalf("%v\n%s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(records, "*.raw"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%d records, want 1 (%v)\n%s", len(names), err, out)
	}
	raw, err = read(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return raw, cmd.Process.Pid
}
