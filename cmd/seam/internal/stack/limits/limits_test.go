package limits

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/internal/testenv"
)

// here is the go command that runs the tests, with an emulator for what it builds where
// one is needed.
func here(t *testing.T) Options {
	t.Helper()
	return Options{Go: "go", Dir: ".", Exec: strings.Fields(os.Getenv("SEAM_TEST_EMULATOR")), Progress: func(string, string) {}}
}

// alone makes temporary files and other toolchains those of the test alone.
func alone(t *testing.T, o Options) (temp string) {
	t.Helper()
	env, err := gotool.ReadEnv(t.Context(), o.Go, o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	temp = t.TempDir()
	t.Setenv("GOCACHE", env.GOCACHE)
	t.Setenv("TMPDIR", temp)
	testenv.Home(t)
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOTOOLCHAIN", "local")
	t.Setenv("PATH", filepath.Join(env.GOROOT, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return temp
}

// The Go that runs the tests has all limits, and those of its version.
func TestRun(t *testing.T) {
	testenv.Builds(t)
	o := here(t)
	o.Only, o.maxStack = true, 3_000_000
	temp := alone(t, o)
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Toolchains) != 1 || !r.Toolchains[0].InUse || len(r.Failed()) != 0 {
		t.Fatalf("%+v", r.Toolchains)
	}
	m := r.Toolchains[0]
	for _, l := range all {
		if v := m.Values[l.key]; v.Missing != "" || v.N <= 0 {
			t.Errorf("%s: %+v", l.key, v)
		}
	}
	// Stacks double: the largest below three million bytes has two megabytes.
	frames, stack := m.Values["overflow_frames"], m.Values["overflow_stack"]
	used := frames.N * frames.Frame
	if stack.N != 2<<20 || used > stack.N || used+2*frames.Frame < stack.N || frames.Frame < 64<<10 {
		t.Errorf("%d frames of %d bytes, %d bytes in all, in a stack of %d", frames.N, frames.Frame, used, stack.N)
	}
	delete(m.Values, "overflow_stack") // of another limit than the history's
	if agree(t, m, r.GOOS, r.GOARCH) == 0 {
		t.Errorf("%s is not in the history", m.Version)
	}
	nothingLeft(t, temp)
}

func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// Wherever it is interrupted, the measurement ends and leaves no files.
func TestInterrupted(t *testing.T) {
	testenv.Builds(t)
	for _, at := range []string{"looking for toolchains", "asking the compiler", "building a program", "making a stack overflow"} {
		t.Run(at, func(t *testing.T) {
			o := here(t)
			o.Only, o.maxStack = true, 16<<20
			temp := alone(t, o)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o.Progress = func(_, what string) {
				switch {
				case what != at:
				case at == "asking the compiler", at == "building a program":
					time.AfterFunc(10*time.Millisecond, cancel) // in the midst of it
				default:
					cancel()
				}
			}
			if r, err := Run(ctx, o); !errors.Is(err, context.Canceled) || r != nil {
				t.Errorf("%v, %v", r, err)
			}
			nothingLeft(t, temp)
		})
	}
}

// A program that this machine doesn't run is no mistake of the user's.
func TestForeignProgram(t *testing.T) {
	tc := toolchain{goos: runtime.GOOS, goarch: "other", work: t.TempDir()}
	path := filepath.Join(tc.work, "limits.exe")
	if err := os.WriteFile(path, []byte("no program"), 0o777); err != nil {
		t.Fatal(err)
	}
	o := Options{}
	err := tc.askRuntime(t.Context(), &o, path, map[string]Value{})
	if want := "this machine runs no programs for " + runtime.GOOS + "/other"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	o.Exec = []string{filepath.Join(tc.work, "no-emulator")}
	if err := tc.askRuntime(t.Context(), &o, path, map[string]Value{}); err == nil || !strings.Contains(err.Error(), "no-emulator") {
		t.Errorf("%v", err)
	}
}

func TestNoOverflow(t *testing.T) {
	values := map[string]Value{"overflow_frames": {N: 1}}
	missing(values, byOverflow, errors.New("not wanted"))
	if values["overflow_frames"].N != 1 || values["overflow_stack"].Missing != "not wanted" || len(values) != 2 {
		t.Errorf("%+v", values)
	}
}
