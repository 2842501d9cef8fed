//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// Flags and settings of the go command work as they always do, and the program
// is welded or it is said why not.
func TestBuilds(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	before := m.hash("w", "p")
	const all = "seam: welded 3 of 3 functions"
	for _, c := range []struct {
		name   string
		flags  []string
		env    []string
		says   string
		welded bool
	}{
		{"no flags", nil, nil, all, true},
		{"race", []string{"-race"}, nil, all, true},
		{"race by GOFLAGS", nil, []string{"GOFLAGS=-race"}, all, true},
		{"cover", []string{"-cover"}, []string{"GOCOVERDIR=" + t.TempDir()}, all, true},
		{"trimpath", []string{"-trimpath"}, nil, all, true},
		{"tags", []string{"-tags", "extra"}, nil, all, true},
		{"tags by GOFLAGS", nil, []string{"GOFLAGS=-tags=extra"}, all, true},
		{"position-independent", []string{"-buildmode=pie"}, nil, all, true},
		{"no optimisation anywhere", []string{"-gcflags=all=-N -l"}, nil, all, true},
		{"no optimisation here", []string{"-gcflags=-N -l"}, nil, all, true},
		{"gcflags with blanks around", []string{"-gcflags", " -N "}, nil, all, true},
		{"gcflags for a pattern", []string{"-gcflags=example.com/small/...=-N"}, nil, all, true},
		{"gcflags by GOFLAGS", nil, []string{"GOFLAGS='-gcflags=all=-N -l' -mod=mod"}, all, true},
		{"GOFLAGS with -mod=mod", nil, []string{"GOFLAGS=-mod=mod"}, all, true},
		{"ldflags", []string{"-ldflags=-s -w"}, nil, all, true},
		{"checkptr", []string{"-gcflags=example.com/...=-d=checkptr=2"}, nil, all, true},
		{"soak: cgocheck2", nil, []string{"GOEXPERIMENT=cgocheck2"}, all, true},
		{"linked internally", []string{"-ldflags=-linkmode=internal"}, nil, "nothing is welded, this was a plain build: with -linkmode=internal", false},
		{"asan", []string{"-asan"}, nil, "nothing is welded, this was a plain build: with -asan", false},
		{"asan by GOFLAGS", nil, []string{"GOFLAGS=-asan"}, "nothing is welded, this was a plain build: with -asan", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "no flags" && c.name != "race" {
				t.Skip("long")
			}
			if strings.HasPrefix(c.name, "soak: ") {
				testenv.Soak(t)
			}
			if runtime.GOARCH == "arm64" && strings.Contains(c.name, "internal") {
				t.Skip("not on arm64")
			}
			m := m.in(t).set(noFlags).set(c.env...)
			build := func(out string) []string { return append(append([]string{"build", "-o", out}, c.flags...), ".") }
			m.plain(build("p")...).ok()
			m.weld(build("w")...).ok().says(c.says).silent("stays as it is")
			same(t, m.run("./p").ok(), m.run("./w").ok())
			if got := m.isWelded("./w"); got != c.welded {
				t.Errorf("welded: %v, want %v", got, c.welded)
			}
			if c.env == nil && len(c.flags) < 2 { // the cache knows flags and environment in one way
				// Cached by now: what the plain build gives is not what was welded.
				m.plain(build("p")...).ok()
				if m.isWelded("./p") {
					t.Error("a plain build after a welded one is welded")
				}
			}
		})
	}
	if m.hash("w", "p") != before {
		t.Error("sources, go.mod or go.sum have changed")
	}
}

// What the user says to the compiler by -gcflags reaches the packages that it is
// for, in every form, welded or not.
func TestGcflagsArePassedOn(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	// -m=1 makes the compiler print what it does with these functions.
	marks := map[string]string{
		"alpha": "alpha.go:", "beta": "beta.go:", "plain": "plain.go:", "main": "main.go:",
	}
	// One module for all: what the compiler says comes out of the cache too.
	small := load(t, "small")
	for _, c := range []struct {
		flags []string
		env   string
		want  []string
	}{
		{[]string{"-gcflags=-m"}, "", []string{"main"}},
		{[]string{"-gcflags=all=-m"}, "", []string{"alpha", "beta", "plain", "main"}},
		{[]string{"-gcflags=example.com/small/...=-m"}, "", []string{"alpha", "beta", "plain", "main"}},
		{[]string{"-gcflags=./alpha=-m"}, "", []string{"alpha"}},
		{[]string{"-gcflags=example.com/small/alpha=-m", "-gcflags", "example.com/small/plain=-m"}, "", []string{"alpha", "plain"}},
		{[]string{"-gcflags=all=-m", "-gcflags=example.com/small/alpha="}, "", []string{"beta", "plain", "main"}},
		{[]string{"-gcflags=./...=-m", "-gcflags=example.com/small/a...a="}, "", []string{"beta", "plain", "main"}},
		{[]string{"-gcflags=example.com/small/...=-m", "-gcflags="}, "", []string{"alpha", "beta", "plain"}},
		{nil, "GOFLAGS=-gcflags=example.com/small/alpha=-m", []string{"alpha"}},
		{nil, "GOFLAGS='-gcflags=example.com/small/...=-m -B'", []string{"alpha", "beta", "plain", "main"}},
		{[]string{"-gcflags=example.com/small/plain=-m"}, "GOFLAGS=-gcflags=example.com/small/alpha=-m", []string{"alpha", "plain"}},
		{nil, "", nil},
	} {
		t.Run(strings.Join(append(c.flags, c.env), " "), func(t *testing.T) {
			if strings.Contains(strings.Join(c.flags, " "), "all=") {
				testenv.Soak(t) // compiles the standard library
			}
			m := small.in(t)
			if c.env != "" {
				m.set(c.env)
			}
			r := m.weld(slices.Concat([]string{"build", "-o", "w"}, c.flags, []string{"."})...).ok()
			p := m.plain(slices.Concat([]string{"build", "-o", "p"}, c.flags, []string{"."})...).ok()
			for name, mark := range marks {
				want := slices.Contains(c.want, name)
				if got := strings.Contains(p.errout, mark); got != want {
					t.Errorf("the plain build's compiler spoke of %s: %v", name, got)
				}
				if got := strings.Contains(r.errout, mark); got != want {
					t.Errorf("the compiler spoke of %s: %v, want %v\n%s", name, got, want, r.errout)
				}
			}
			if !m.isWelded("./w") {
				t.Error("not welded")
			}
		})
	}
}

// The other verbs of the go command, with their arguments in their places.
func TestVerbs(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	m.set("GOBIN=" + m.path("bin"))
	t.Run("run", func(t *testing.T) {
		m := m.in(t)
		for _, target := range []string{".", "main.go", "example.com/small"} {
			m.weld("run", target, "args", "-race", "-gcflags=x", "-toolexec", "y", "--", "-o").ok().
				prints(`["-race" "-gcflags=x" "-toolexec" "y" "--" "-o"]`).says("welded 3 of 3")
		}
		if !m.isWelded(seam, "weld", "--", "go", "run", ".") {
			t.Error("not welded")
		}
	})
	t.Run("test", func(t *testing.T) {
		r := m.in(t).weld("test", "-v", "-count=1", "./...").ok().says("welded 3 of 3")
		for _, want := range []string{"allocations: 0", "ok  \texample.com/small/alpha", "ok  \texample.com/small/beta", "ok  \texample.com/small/plain"} {
			r.prints(want)
		}
	})
	t.Run("test with flags behind the packages", func(t *testing.T) {
		m.in(t).weld("test", "./alpha", "-run", "xxx", "-bench", ".", "-benchtime=1x", "-args", "x", "-toolexec=y").ok().prints("BenchmarkSum").says("seam: welded")
	})
	t.Run("test with -race", func(t *testing.T) { m.in(t).weld("test", "-race", "-count=1", "./alpha").ok().prints("ok") })
	t.Run("install", func(t *testing.T) {
		m.in(t).weld("install", ".").ok().says("welded 3 of 3")
		if !m.isWelded("bin/small") {
			t.Error("not welded")
		}
	})
	t.Run("-C", func(t *testing.T) {
		m := m.in(t)
		inside := m.dir
		m.dir = filepath.Dir(m.dir)
		m.weld("build", "-C", inside, "-o", "c", ".").ok().says("welded 3 of 3")
		m.weld("build", "-C=small/alpha", "-o", "../d", "..").ok().says("welded 3 of 3")
		for _, name := range []string{"small/c", "small/d"} {
			if !m.isWelded(name) {
				t.Errorf("%s is not welded", name)
			}
		}
	})
	t.Run("an exit code of the go command", func(t *testing.T) {
		m := m.in(t)
		plain := m.plain("build", "./missing")
		m.weld("build", "./missing").ends(plain.code).says("missing").silent("the go command ended")
		m.weld("run", ".", "args").ok()
	})
}

// A profile of coverage is that of a plain build.
func TestCoverage(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	for _, flags := range [][]string{{"-coverpkg=./..."}, {"-covermode=atomic"}} {
		args := func(out string) []string {
			return slices.Concat([]string{"test", "-count=1", "-coverprofile=" + out}, flags, []string{"./alpha", "./beta"})
		}
		plain := m.plain(args("plain.out")...).ok()
		welded := m.weld(args("welded.out")...).ok().says("welded 3 of 3")
		got, want := profile(m.read("welded.out")), profile(m.read("plain.out"))
		if got != want || strings.Count(want, "\n") < 4 {
			t.Errorf("profile\n%s\nwant\n%s", got, want)
		}
		coverage := func(r result) (list []string) {
			for _, f := range strings.Fields(r.out) {
				if strings.HasSuffix(f, "%") {
					list = append(list, f)
				}
			}
			return list
		}
		if !slices.Equal(coverage(plain), coverage(welded)) {
			t.Errorf("welded:\n%s\nas it is:\n%s", welded.out, plain.out)
		}
	}
}

// profile is a coverage profile with its lines in order and without the counts
// of TestAllocations, which calls a fixed number of times but for a warm-up.
func profile(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// A program that calls C only through the standard library, or not at all, is
// built as ever.
func TestProgramWithoutC(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.plain("build", "-o", "p", "./cmd/nocgo").ok()
	for _, flags := range [][]string{nil, {"-ldflags=-linkmode=internal"}, {"-race"}, {"-buildmode=pie"}} {
		m.weld(append([]string{"build", "-o", "w"}, append(flags, "./cmd/nocgo")...)...).ok()
		same(t, m.run("./p").ok(), m.run("./w").ok())
	}
	m.set("CGO_ENABLED=0")
	m.weld("build", "-o", "w", "./cmd/nocgo").ok().says("nothing is welded, this was a plain build: the build calls no C, because CGO_ENABLED=0")
	same(t, m.run("./p").ok(), m.run("./w").ok())
	m.weld("test", "./plain").ok()
}

// Packages of a vendor folder and of other modules of a workspace are welded
// where they lie.
func TestVendorAndWorkspace(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	// A module that needs small by a replaced path.
	setup := func(t *testing.T) *module {
		m := load(t, "small")
		m.write("app/go.mod", "module example.com/app\n\ngo 1.25.0\n\nrequire example.com/small v0.0.0\n\nreplace example.com/small => ../\n")
		m.write("app/main.go", strings.Replace(m.read("main.go"), "Command small", "Command app", 1))
		m.write("app/seam.plan", m.read("seam.plan"))
		return m
	}
	check := func(t *testing.T, m *module, args ...string) {
		t.Helper()
		before := m.hash("w", "p")
		m.plain(append([]string{"build", "-o", "p"}, args...)...).ok()
		m.weld(append([]string{"build", "-o", "w"}, args...)...).ok().says("welded 3 of 3")
		same(t, m.run("./p").ok(), m.run("./w").ok())
		if !m.isWelded("./w") {
			t.Error("not welded")
		}
		m.weld(append([]string{"test", "example.com/small/alpha"}, args[1:]...)...).ok()
		if m.hash("w", "p") != before {
			t.Error("sources, go.mod, go.sum, go.work or vendor have changed")
		}
	}
	t.Run("replace", func(t *testing.T) {
		m := setup(t)
		m.dir = m.path("app")
		check(t, m, ".")
	})
	t.Run("vendor", func(t *testing.T) {
		m := setup(t)
		m.dir = m.path("app")
		m.plain("mod", "vendor").ok()
		// Nobody but vendor has it now.
		for _, name := range []string{"alpha", "beta"} {
			if err := os.RemoveAll(m.path("../" + name)); err != nil {
				t.Fatal(err)
			}
		}
		check(t, m, ".")
		m.set("GOFLAGS=-mod=vendor")
		m.weld("build", "-o", "w", ".").ok().says("welded 3 of 3")
	})
	t.Run("workspace", func(t *testing.T) {
		m := setup(t)
		m.replace("app/go.mod", "\nreplace example.com/small => ../\n", "")
		m.write("go.work", "go 1.25.0\n\nuse (\n\t.\n\t./app\n)\n")
		m.dir = m.path("app")
		check(t, m, ".")
	})
	t.Run("workspace, from a folder above its modules", func(t *testing.T) {
		m := setup(t)
		m.replace("app/go.mod", "\nreplace example.com/small => ../\n", "")
		top := filepath.Dir(m.dir)
		plan := m.read("seam.plan")
		m.dir = top
		m.write("go.work", "go 1.25.0\n\nuse (\n\t./small\n\t./small/app\n)\n")
		m.write("seam.plan", plan)
		check(t, m, "./small/app")
	})
}

// go list with -mod=mod may write to go.mod; looking for the plan's packages
// must not.
func TestGoModStaysWhenPlanNamesStrangers(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	m.set("GOFLAGS=-mod=mod", "GOPROXY=off")
	m.write("seam.plan", m.read("seam.plan")+"leaf golang.org/x/stranger.f\n")
	before := m.hash()
	m.weld("build", "-o", "../w", ".").ends(2).says("seam.plan:6: golang.org/x/stranger: no such package")
	if m.hash() != before {
		t.Error("go.mod or go.sum have changed")
	}
}

// A toolchain for another architecture, run by an emulator.
func TestArm64(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	testenv.Foreign(t, "aarch64-linux-gnu-gcc", "qemu-aarch64")
	emulator := []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"}
	for _, flags := range [][]string{nil, {"-buildmode=pie"}} {
		m := load(t, "small").set("GOARCH=arm64", "CC=aarch64-linux-gnu-gcc")
		m.plain(append(append([]string{"build", "-o", "p"}, flags...), ".")...).ok()
		m.weld(append(append([]string{"build", "-o", "w"}, flags...), ".")...).ok().says("welded 3 of 3")
		same(t, m.run(append(emulator, "./p")...).ok(), m.run(append(emulator, "./w")...).ok())
		if !m.isWelded(append(emulator, "./w")...) {
			t.Error("not welded")
		}
	}
	m := load(t, "guard").set("GOARCH=arm64", "CC=aarch64-linux-gnu-gcc")
	m.plain("build", "-o", "p", ".").ok()
	m.weld("build", "-o", "w", ".").ok().says("welded 7 of 7")
	for _, scenario := range []string{"early", "in callback", "foreign thread", "finalizer"} {
		same(t, m.run(append(emulator, "./p", scenario)...).ok(), m.run(append(emulator, "./w", scenario)...).ok())
	}
	m.run(append(emulator, "./w", "slow")...).ok().says("guard.busy took more than")
	m.run(append(emulator, "./w", "callback")...).ok().says("guard.calls_go called back into Go; it is called through cgo from now on").prints("Go was called\nend\n")
	late := load(t, "late").set("GOARCH=arm64", "CC=aarch64-linux-gnu-gcc")
	late.plain("build", "-o", "p", ".").ok()
	late.weld("build", "-o", "w", ".").ok().says("welded 18 of 18")
	for _, scenario := range []string{"goroutines", "nested", "panic", "deep", "registers"} {
		same(t, late.run(append(emulator, "./p", scenario)...).ok(), late.run(append(emulator, "./w", scenario)...).ok().says(" called back into Go; it is called through cgo"))
	}
	late.run(append(emulator, "./w", "elsewhere")...).ends(2).says("other.call_hook is welded and called back into Go")
	bounded := bounds(t).set("GOARCH=arm64", "CC=aarch64-linux-gnu-gcc")
	bounded.weld("build", "-o", "w", ".").ok().says("welded 8 of 8")
	for _, scenario := range []string{"nested", "panics", "goexit", "errno", "locked"} {
		bounded.run(append(emulator, "./w", scenario)...).ok().silent("seam:")
	}
}

// The Go versions whose runtime is known, and one that is not.
func TestGoVersions(t *testing.T) {
	t.Parallel()
	for _, version := range testenv.OtherVersions() {
		t.Run(version, func(t *testing.T) {
			m := load(t, "small").set("GOTOOLCHAIN=" + version)
			for _, flags := range [][]string{nil, {"-race"}} {
				m.plain(append(append([]string{"build", "-o", "p"}, flags...), ".")...).ok()
				m.weld(append(append([]string{"build", "-o", "w"}, flags...), ".")...).ok().says("welded 3 of 3")
				same(t, m.run("./p").ok(), m.run("./w").ok())
				if !m.isWelded("./w") {
					t.Error("not welded")
				}
			}
			m.weld("test", "-count=1", "./...").ok()
			m.run(seam, "trace", "--", "go", "run", ".", "allocs").ok().says("alpha.alpha_sum")
			many := load(t, "many").set("GOTOOLCHAIN=" + version)
			many.plain("build", "-o", "p", ".").ok()
			many.weld("build", "-o", "w", ".").ok().says("welded 61 of 61")
			same(t, many.run("./p").ok(), many.run("./w").ok())
			g := load(t, "guard").set("GOTOOLCHAIN=" + version)
			g.weld("build", "-o", "w", ".").ok()
			g.in(t).set("SEAM_WATCH=1").run("./w", "stress").ok()
			g.run("./w", "foreign thread").ok()
			g.run("./w", "slow").ok().says("guard.busy took more than")
			testKept(t, load(t, "kept").withLibrary().set("GOTOOLCHAIN="+version))
			late := load(t, "late").set("GOTOOLCHAIN=" + version)
			late.plain("build", "-o", "p", ".").ok()
			late.weld("build", "-o", "w", ".").ok()
			for _, scenario := range []string{"goroutines", "nested", "panic", "deep", "registers"} {
				same(t, late.run("./p", scenario, "gc").ok(), late.run("./w", scenario, "gc").ok())
			}
			late.run("./w", "elsewhere").ends(2).says("other.call_hook is welded and called back into Go")
		})
	}
	t.Run("unknown", func(t *testing.T) {
		m := load(t, "small")
		// A go command that says it is of a version to come.
		real, err := exec.LookPath("go")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(m.path("bin"), 0o777); err != nil {
			t.Fatal(err)
		}
		testenv.WriteProgram(t, m.path("bin/go"), `#!/bin/sh
if [ "$1" = env ]; then
	`+real+` "$@" | sed 's/go1\.2[0-9][^"]*"/go1.99.1"/'
	exit
fi
exec `+real+` "$@"
`)
		m.run(seam, "weld", "--", m.path("bin/go"), "build", "-o", "w", ".").ok().
			says("nothing is welded, this was a plain build: go1.99.1 is not supported: only Go 1.25, 1.26 and 1.27 are")
		if m.isWelded("./w") {
			t.Error("welded")
		}
	})
}

// Go calls a package that it was given as files by another name; it is welded by
// the lines for its folder.
func TestFilesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.write("one/main.go", `package main

// static int id(const int *p) { return *p; }
import "C"

import (
	"fmt"
	"testing"
)

func main() {
	fmt.Println("allocations:", testing.AllocsPerRun(100, func() {
		x := C.int(3)
		C.id(&x)
	}))
}
`)
	m.write("one/main_test.go", "package main\n\nimport \"testing\"\n\nfunc TestThat(t *testing.T) { main() }\n")
	m.write("seam.plan", m.read("seam.plan")+"leaf example.com/small/one.id budget=100ms\n")
	for _, args := range [][]string{
		{"run", "./one"},
		{"run", "one/main.go"},
		{"run", "-C", "one", "main.go"},
		{"run", m.path("one/main.go")},
		{"test", "-v", "one/main.go", "one/main_test.go"},
	} {
		m.weld(args...).ok().prints("allocations: 0\n")
	}
	// The same name, another package.
	m.weld("build", "-o", "w", "main.go").ok()
	m.run("./w").ok().prints("42 15 10 6 8 ")
	m.plain("run", "one/main.go").ok().prints("allocations: 1\n")
	m.replace("seam.plan", "one.id budget=100ms", "one.id budget=90ms")
	if got := m.weld("build", "-v", "-o", "w", "one/main.go").ok().compiled(); !slices.Equal(got, []string{"command-line-arguments"}) {
		t.Errorf("a change of the plan compiles %q", got)
	}
}
