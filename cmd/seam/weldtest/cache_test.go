//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/testenv"
)

// compiled lists what a build with -v compiled: of the standard library too.
func (r result) compiled() (list []string) {
	for line := range strings.Lines(r.errout) {
		if line = strings.TrimSpace(line); line != "" && !strings.ContainsAny(line, " :") {
			list = append(list, strings.TrimPrefix(line, "example.com/small/"))
		}
	}
	slices.Sort(list)
	return list
}

// A change of the plan rebuilds the packages whose leaves have changed and what
// depends on them, and nothing else. Builds with and without the plan don't
// disturb each other.
func TestCacheRebuildsWhatChanged(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	const main = "example.com/small"
	// The standard library, as it is and welded, and plain, which never changes.
	other := load(t, "small")
	other.plain("build", "-o", "w", ".").ok()
	other.weld("build", "-o", "w", ".").ok()
	m.weld("build", "-o", "w", "./plain").ok()
	steps := []struct {
		name     string
		old, new string // in seam.plan
		plain    bool
		compiled []string
	}{
		{"the first build", "", "", false, []string{"alpha", "beta", main}},
		{"the same plan", "", "", false, nil},
		{"a comment", "budget=100ms", "budget=100ms # looked at", false, nil},
		{"a line of its own for a comment", "# seam.plan 1\n", "# seam.plan 1\n\n# by hand\n", false, nil},
		{"the order of lines", "leaf example.com/small/alpha.alpha_add\n", "", false, nil}, // see below
		{"keep", "# looked at", "keep", false, nil},
		{"a cgo line's budget", "alpha.alpha_other", "alpha.alpha_other budget=1ms", false, nil},
		{"a default that is written out", "beta.beta_scale", "beta.beta_scale budget=20us allow=1%", false, nil},
		{"a budget", "budget=100ms", "budget=90ms", false, []string{"alpha", main}},
		{"a share", "allow=1%", "allow=2%", false, []string{"beta", main}},
		{"a leaf becomes cgo", "leaf example.com/small/beta", "cgo example.com/small/beta", false, []string{"beta", main}},
		{"without the plan", "", "", true, []string{"alpha", "beta", main}},
		{"without the plan again", "", "", true, nil},
		{"and with it", "", "", false, nil},
		{"cgo becomes leaf", "cgo example.com/small/beta", "leaf example.com/small/beta", false, nil}, // that was built before
		{"a function more", "cgo  example.com/small/alpha.alpha_other", "leaf example.com/small/alpha.alpha_other", false, []string{"alpha", main}},
	}
	for _, s := range steps {
		switch {
		case s.name == "the order of lines":
			m.replace("seam.plan", s.old, "")
			m.write("seam.plan", m.read("seam.plan")+s.old)
		case s.old != "":
			m.replace("seam.plan", s.old, s.new)
		}
		var r result
		if s.plain {
			r = m.plain("build", "-v", "-o", "w", ".").ok()
		} else {
			r = m.weld("build", "-v", "-o", "w", ".").ok()
		}
		if got := r.compiled(); !slices.Equal(got, s.compiled) {
			t.Errorf("%s: compiled %q, want %q", s.name, got, s.compiled)
		}
		if welded := m.isWelded("./w"); welded == s.plain {
			t.Errorf("%s: welded: %v", s.name, welded)
		}
		m.run("./w").ok().prints("42 15 10 6 8 ")
	}
}

// The run-time is in package runtime/cgo, which net imports. A welded build after a plain one
// compiles that package, what imports it, and what is welded; not what is above net.
func TestCacheSharesWhatImportsNet(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.write("web/web.go", `package main

import (
	"fmt"
	"net/http"

	"example.com/small/alpha"
)

func main() { fmt.Println(alpha.Add(20, 22), http.StatusText(http.StatusTeapot)) }
`)
	m.plain("build", "-o", "w", "./web").ok()
	// As if this were another version of the run-time, which no cache has.
	nonce := fmt.Sprintf("-gcflags=runtime/cgo=-seam=%d", time.Now().UnixNano())
	compiled := m.weld("build", "-v", nonce, "-o", "w", "./web").ok().says("welded").compiled()
	m.run("./w").ok().prints("42 I'm a teapot")
	if !slices.Contains(compiled, "runtime/cgo") || !slices.Contains(compiled, "alpha") {
		t.Fatalf("compiled %q: the cache had what this is about", compiled)
	}
	all := strings.Fields(m.plain("list", "-deps", "./web").ok().out)
	own := []string{"alpha", "example.com/small/web"}
	compiled = slices.DeleteFunc(compiled, func(path string) bool { return slices.Contains(own, path) || path == "web" })
	if len(compiled)*50 > len(all) {
		t.Errorf("compiled %q, more than 2 %% of %d packages", compiled, len(all))
	}
}

// Where the go command has a package in its cache, and seam has forgotten that build, nobody
// is told that nothing is welded.
func TestCacheOfReportsIsLost(t *testing.T) {
	t.Parallel()
	m := load(t, "small")
	m.weld("build", "-o", "w", ".").ok().says("welded")
	m.set("XDG_CACHE_HOME="+m.path("empty")).weld("build", "-o", "w", ".").ok().says("had them in its cache, welded")
	if !m.isWelded("./w") {
		t.Error("not welded")
	}
}

// A test's result is cached as ever, and not taken from a run under another plan.
func TestCacheOfTestResults(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.weld("test", "./alpha").ok()
	m.weld("test", "./alpha").ok().prints("(cached)")
	m.replace("seam.plan", "budget=100ms", "budget=80ms")
	if r := m.weld("test", "./alpha").ok(); strings.Contains(r.out, "cached") {
		t.Error("the result under another plan was taken")
	}
	m.plain("test", "./alpha").ok()
	m.plain("test", "./alpha").ok().prints("(cached)")
}

// A build that is killed at any moment leaves nothing in the cache that a later
// build would take for something else.
func TestKilledBuildLeavesNothingStale(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	m := load(t, "small")
	temporary := t.TempDir()
	killed := m.in(t).set("GOCACHE="+t.TempDir(), "TMPDIR="+temporary)
	whole := m.in(t)
	build := []string{"build", "-o", "killed", "."}
	killed.plain(build...).ok() // the standard library
	moments := []time.Duration{200, 500, 900, 1400}
	if os.Getenv("SEAM_SOAK") != "" {
		moments = nil
		for ms := range 60 {
			moments = append(moments, time.Duration(ms*40))
		}
	}
	for i, after := range moments {
		// Other budgets, so that there is something to build.
		m.write("seam.plan", fmt.Sprintf("leaf example.com/small/alpha.alpha_add budget=%dus\nleaf example.com/small/alpha.alpha_sum\nleaf example.com/small/beta.beta_scale budget=%dus\n", 500+i, 700+i))
		var out bytes.Buffer
		cmd := killed.command(context.Background(), append([]string{seam, "weld", "--", "go"}, build...)...)
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after * time.Millisecond)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may be done
		_ = cmd.Wait()                                      // likewise

		if i%2 == 1 { // a plain build in between takes nothing welded
			killed.plain(build...).ok()
			if killed.isWelded("./killed") {
				t.Errorf("killed after %d ms: the plain build is welded", after)
			}
		}
		killed.weld(build...).ok().says("welded 3 of 3")
		whole.weld("build", "-o", "whole", ".").ok()
		if killed.read("killed") != whole.read("whole") {
			t.Errorf("killed after %d ms: the next build makes another program than one in a cache that saw no kill", after)
		}
		if !killed.isWelded("./killed") {
			t.Errorf("killed after %d ms: the next build is not welded", after)
		}
	}
}
