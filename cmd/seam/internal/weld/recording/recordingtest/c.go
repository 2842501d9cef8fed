package recordingtest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

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
			cc := testenv.Tool(t, cc)
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

var notInNames = regexp.MustCompile(`\W+`)

// Same is C that compiles only if these expressions have these values.
func Same(constants map[string]int) string {
	var b strings.Builder
	for _, expr := range slices.Sorted(maps.Keys(constants)) {
		fmt.Fprintf(&b, "extern char same_%s[(%s) == %d ? 1 : -1];\n", notInNames.ReplaceAllString(expr, "_"), expr, constants[expr])
	}
	return b.String()
}

// SameInC tests that these expressions have these values in C that begins with the
// text, which includes the files.
func SameInC(t *testing.T, files map[string][]byte, text string, constants map[string]int) {
	t.Helper()
	cmd := exec.Command(testenv.Tool(t, "gcc"), "-fsyntax-only", "-I", Headers(t, files), "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text + "\n" + Same(constants))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("C has other values: %v\n%s", err, out)
	}
}

// CompilesInRuntimeCgo tests that C is compiled as a part of package runtime/cgo: from Go 1.27 on as gnu90, in which a for
// loop declares nothing.
func CompilesInRuntimeCgo(t *testing.T, name string, c []byte) {
	t.Helper()
	dir := Headers(t, map[string][]byte{name: c})
	for _, cc := range []string{"gcc", "clang", "aarch64-linux-gnu-gcc"} {
		t.Run(cc, func(t *testing.T) {
			for _, std := range []string{"gnu90", "gnu17"} {
				cmd := exec.CommandContext(t.Context(), testenv.Tool(t, cc), "-std="+std, "-Wall", "-Werror", "-Wdeclaration-after-statement", "-O2", "-c", "-x", "c", "-o", "text.o", "-include", name, os.DevNull)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("-std=%s: %v\n%.2000s", std, err, out)
				}
			}
		})
	}
}

// Program compiles a C program with a verb's headers.
func Program(t *testing.T, files map[string][]byte, source string, flags ...string) (exe string) {
	t.Helper()
	dir := Headers(t, files)
	// What only gcc reads doesn't make the go command run a test again.
	f, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	exe = filepath.Join(dir, "run")
	args := append([]string{"-O1", "-Wall", "-Werror", "-pthread", "-I", dir, "-o", exe, "-x", "c", "-"}, flags...)
	cmd := exec.Command(testenv.Tool(t, "gcc"), args...)
	cmd.Stdin = f
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
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
