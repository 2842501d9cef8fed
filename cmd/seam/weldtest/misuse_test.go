//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// Mistakes are told with file and line, and what to do.
func TestMistakesInThePlan(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.write("gamma/gamma.go", `package gamma

// typedef int (*function)(int);
// static int apply(int (*f)(int), int x) { return f ? f(x) : x; }
// static int apply_typed(int x, function f) { return f ? f(x) : x; }
import "C"

func Apply(x int) int { return int(C.apply(nil, C.int(x)) + C.apply_typed(1, nil)) }
`)
	const a = "leaf example.com/small/alpha."
	for _, c := range []struct {
		name, plan string
		code       int
		says       []string
	}{
		{"unknown function", a + "alpha_ad", 2, []string{"seam.plan:1: example.com/small/alpha.alpha_ad: the package calls no C function of this name (did you mean alpha_add?)"}},
		{"unknown function called by cgo", a + "alpha_add\ncgo example.com/small/alpha.nothing_like_it", 2, []string{"seam.plan:2: example.com/small/alpha.nothing_like_it: the package calls no C function"}},
		{"two mistakes", a + "x_one\n" + a + "x_two", 2, []string{"seam.plan:1: ", "seam.plan:2: "}},
		{"wrong mode", "laef example.com/small/alpha.alpha_add", 2, []string{`seam.plan:1:1: "laef" is not a mode`, "did you mean leaf?"}},
		{"duplicate", a + "alpha_add\n# two\n" + a + "alpha_add", 2, []string{"seam.plan:3:6: ", "already has a line, line 1"}},
		{"duplicate in two modes", a + "alpha_add\ncgo example.com/small/alpha.alpha_add", 2, []string{"seam.plan:2:5: "}},
		{"takes a callback", "leaf example.com/small/gamma.apply", 2, []string{"seam.plan:1: example.com/small/gamma.apply: it takes a C function pointer", "write coro, or cgo"}},
		{"takes a callback by a typedef", "\nleaf example.com/small/gamma.apply_typed", 2, []string{"seam.plan:2: example.com/small/gamma.apply_typed: it takes a C function pointer"}},
		{"unknown package", a + "alpha_add\nleaf example.com/small/alfa.alpha_add", 2, []string{"seam.plan:2: example.com/small/alfa: no such package"}},
		{"end of a path", "leaf small/alpha.alpha_add", 2, []string{"seam.plan:1: small/alpha: no such package", "(did you mean example.com/small/alpha?)"}},
		{"strange package", "leaf github.com/nobody/nothing.f", 2, []string{"seam.plan:1: github.com/nobody/nothing: no such package"}},
		{"standard library", "leaf net.getaddrinfo", 2, []string{"seam.plan:1: net: packages of the standard library are not welded"}},
		{"runtime/cgo", "leaf runtime/cgo.x", 2, []string{"seam.plan:1: runtime/cgo: packages of the standard library are not welded"}},
		{"package without C", "leaf example.com/small/plain.twice", 2, []string{"seam.plan:1: example.com/small/plain: the package doesn't call C"}},
		{"function needs a build tag", "leaf example.com/small/beta.beta_extra", 2, []string{"seam.plan:1: example.com/small/beta.beta_extra: the package calls no C function of this name"}},
		{"no budget", a + "alpha_add budget=soon", 2, []string{"seam.plan:1:", `"soon" is not a budget`}},
		{"another signature", a + "alpha_add sig=00000000\n" + a + "alpha_sum", 0, []string{"example.com/small/alpha.alpha_add stays as it is: its signature has changed since the plan was made: it is func(_Ctype_int, _Ctype_int) _Ctype_int now", "welded 1 of 2"}},
		{"no leaf at all", "cgo example.com/small/alpha.alpha_add", 0, []string{"has no function to weld; this was a plain build"}},
		{"empty", "", 0, []string{"has no function to weld; this was a plain build"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := m.in(t)
			m.write("seam.plan", c.plan+"\n")
			m.weld("build", ".", "./gamma").ends(c.code).says(c.says...)
			// Said by every build, not only by the one that compiles.
			m.weld("build", ".", "./gamma").ends(c.code).says(c.says...)
		})
	}
}

func TestMistakesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	for _, c := range []struct {
		args []string
		env  string
		says string
	}{
		{[]string{"weld"}, "", "go"},
		{[]string{"weld", "--"}, "", ""},
		{[]string{"trace", "--", "make"}, "", `"make" is not the go command`},
		{[]string{"weld", "--verbose", "--", "go", "build"}, "", "unknown flag --verbose"},
		{[]string{"toolexec", "--verbose", "compile"}, "", "unknown flag --verbose"},
		{[]string{"weld", "--", "go"}, "", "no verb after go"},
		{[]string{"weld", "--", "go", "vet", "./..."}, "", `verb "vet" after go: only go build, install, run, test can be used here`},
		{[]string{"weld", "--plan", "missing.plan", "--", "go", "build", "."}, "", "missing.plan"},
		{[]string{"weld", "--", "go", "build", "-C", "missing", "."}, "", "missing"},
		{[]string{"weld", "--", "go", "build", "-overlay", "go.mod", "."}, "", "parsing overlay JSON"}, // and not that the plan is wrong
	} {
		t.Run(strings.Join(append(c.args, c.env), " "), func(t *testing.T) {
			m := m.in(t)
			if c.env != "" {
				m.set(c.env)
			}
			m.run(append([]string{seam}, c.args...)...).ends(2).says("seam: ", c.says)
		})
	}
	t.Run("no plan", func(t *testing.T) {
		m := load(t, "lib")
		m.write("sub/go.mod", "module example.com/sub\n")
		m.dir = m.path("sub")
		m.weld("build", ".").ends(2).says(m.path("seam.plan")+" does not exist", "seam trace -- go test", "seam plan")
	})
}

// A build that fails says so once, and not that something was welded.
func TestBuildThatFails(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	m.weld("build", ".").ok().says("welded")
	m.weld("build", "-no-such-flag", ".").ends(2).silent("welded")
	m.write("plain/broken.go", "package plain\n\nvar x int = nothing\n")
	m.weld("build", ".").ends(1).says("undefined: nothing").silent("welded")
	m.write("seam.plan", "leaf example.com/small/alpha.nothing_like_it\n")
	m.weld("build", "./alpha").ends(2).says("seam: package example.com/small/alpha: ").silent("seam: seam: ")
}

// A plan beside the module's root is named by a flag; its path may have blanks.
func TestPlanElsewhere(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	m.write("a folder/fast.plan", "leaf example.com/small/alpha.alpha_sum\n")
	m.run(seam, "weld", "--plan", "a folder/fast.plan", "--", "go", "build", "-o", "w", ".").ok().says("welded 1 of 1 functions (a folder/fast.plan)")
	if !m.isWelded("./w") {
		t.Error("not welded")
	}
	m.run(seam, "weld", "-q", "--plan", "a folder/fast.plan", "--", "go", "build", "-o", "w", ".").ok().silent("seam")
}

// A module in a folder whose name has blanks and quotes, with temporary files in
// another such.
func TestPathsWithBlanks(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	moved := load(t, "small")
	moved.dir = filepath.Join(filepath.Dir(m.dir), "it's a [folder]", "with blanks")
	for _, name := range []string{"go.mod", "seam.plan", "main.go", "alpha/alpha.go", "beta/beta.go", "beta/beta.h", "beta/beta.c", "beta/extra.go", "plain/plain.go"} {
		moved.write(name, m.read(name))
	}
	moved.write("temporary files/x", "")
	moved.set("TMPDIR=" + moved.path("temporary files"))
	moved.weld("build", "-o", "w", ".").ok().says("welded 3 of 3")
	if !moved.isWelded("./w") {
		t.Error("not welded")
	}
}

// go build -toolexec 'seam toolexec' works by itself: with the plan above the
// folder, or named.
func TestToolexecByHand(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	tool := "-toolexec='" + seam + "' toolexec"
	built := func(m *module, flags ...string) result {
		m.t.Helper()
		r := m.plain(append([]string{"build", "-o", m.dir + "/w"}, flags...)...).ok()
		m.run(m.dir + "/w").ok().prints("42 15 10 6 8 ")
		return r
	}
	t.Run("plan in the module's root", func(t *testing.T) {
		m := m.in(t)
		built(m, tool, ".")
		if !m.isWelded("./w") {
			t.Error("not welded")
		}
	})
	t.Run("in a folder below", func(t *testing.T) {
		m := m.in(t)
		m.plain("build", "-C", "cmd/nocgo", "-o", m.path("w"), tool, "../..").ok()
		if !m.isWelded("./w") {
			t.Error("not welded")
		}
	})
	t.Run("a change of the plan", func(t *testing.T) {
		m := m.in(t)
		m.replace("seam.plan", "leaf example.com/small/alpha.alpha_sum", "cgo example.com/small/alpha.alpha_sum")
		built(m, tool, ".")
		if m.isWelded("./w") {
			t.Error("the old plan is in force")
		}
		m.replace("seam.plan", "cgo example.com/small/alpha.alpha_sum", "leaf example.com/small/alpha.alpha_sum")
		built(m, tool, ".")
		if !m.isWelded("./w") {
			t.Error("not welded")
		}
		r := m.plain("build", "-v", "-o", "w", tool, ".").ok()
		if got := r.compiled(); len(got) > 0 {
			t.Errorf("the same plan again compiles %q", got)
		}
	})
	t.Run("without it", func(t *testing.T) {
		m := m.in(t)
		built(m, ".")
		if m.isWelded("./w") {
			t.Error("a plain build is welded")
		}
	})
	t.Run("a plan by flag", func(t *testing.T) {
		m := m.in(t)
		m.write("my plans/a.plan", "leaf example.com/small/alpha.alpha_sum\n")
		built(m, "-toolexec='"+seam+"' toolexec --plan '"+m.path("my plans/a.plan")+"'", ".")
		if !m.isWelded("./w") {
			t.Error("not welded")
		}
	})
	t.Run("a plan by the environment", func(t *testing.T) {
		m := m.in(t)
		m.write("my plans/b.plan", "cgo example.com/small/alpha.alpha_sum\n")
		m.set("SEAM_PLAN=" + m.path("my plans/b.plan"))
		built(m, tool, ".")
		if m.isWelded("./w") {
			t.Error("another plan is in force")
		}
	})
	t.Run("race", func(t *testing.T) { built(m.in(t), tool, "-race", ".") })
	t.Run("what can't be welded is named", func(t *testing.T) {
		m := m.in(t)
		m.write("c.plan", "leaf example.com/small/alpha.alpha_sum sig=00000000\n")
		m.set("SEAM_PLAN=" + m.path("c.plan"))
		built(m, tool, ".").says("example.com/small/alpha.alpha_sum stays as it is: its signature has changed")
	})
	t.Run("mistakes", func(t *testing.T) {
		m := m.in(t)
		for plan, want := range map[string]string{
			"leaf example.com/small/alpha.alpha_ad":         "d.plan:1: example.com/small/alpha.alpha_ad: the package calls no C function of this name (did you mean alpha_add?)",
			"live example.com/small/alpha.alpha_add":        `d.plan:1:1: "live" is not a mode`,
			"leaf example.com/small/alpha.alpha_add keep=1": "d.plan:1:",
		} {
			m.write("d.plan", plan+"\n")
			r := m.in(t).set("SEAM_PLAN="+m.path("d.plan")).plain("build", "-o", "w", tool, ".").says(want)
			if r.code == 0 {
				t.Errorf("%q was taken", plan)
			}
		}
	})
	t.Run("no plan", func(t *testing.T) {
		m := load(t, "lib")
		m.write("sub/go.mod", "module example.com/sub\n")
		m.write("sub/main.go", "package main\n\nfunc main() {}\n")
		m.set("SEAM_PLAN=" + m.path("missing.plan"))
		if r := m.plain("build", "-o", "w", tool, ".").says("missing.plan"); r.code == 0 {
			t.Error("built without a plan")
		}
	})
}
