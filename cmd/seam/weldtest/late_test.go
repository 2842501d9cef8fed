//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A leaf that calls Go is as good as a cgo call: in many goroutines at once, in one
// another, on stacks that move, under garbage collection, and where Go panics.
func TestLeafThatCallsGo(t *testing.T) {
	t.Parallel()
	m := load(t, "late")
	m.plain("build", "-o", "../plain", ".").ok()
	m.weld("build", "-o", "../welded", ".").ok().says("welded 18 of 18")
	for scenario, demoted := range map[string]int{
		"once": 1, "goroutines": 1, "locked": 1, "nested": 4, "errno": 1, "struct": 1, "registers": 1, "panic": 5, "deep": 1,
	} {
		for _, env := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4", "SEAM_GUARD=all", "SEAM_LEAF=cgo"} {
			t.Run(scenario+" with "+env, func(t *testing.T) {
				m := m.in(t).set(env)
				r := m.run("../welded", scenario, "gc")
				same(t, m.run("../plain", scenario, "gc").ok(), r)
				want := demoted
				if env == "SEAM_LEAF=cgo" {
					want = 0
				}
				if n := strings.Count(r.errout, " called back into Go; it is called through cgo from now on. Mark it cgo in seam.plan\n"); n != want {
					t.Errorf("%d functions were demoted, want %d\n%s", n, want, r.text())
				}
			})
		}
	}
	t.Run("a panic that nobody recovers", func(t *testing.T) {
		m.in(t).run("../welded", "unrecovered").ends(2).says("panic: from the callback", "main._Cfunc_panics3", "main.main()")
	})
	// A function that is closed keeps its arguments on the stack, in a package with exports too.
	for _, env := range []string{"SEAM_GUARD=", "GOMAXPROCS=1", "SEAM_LEAF=cgo"} {
		t.Run("closed with "+env, func(t *testing.T) {
			m.in(t).set(env).run("../welded", "closed").ok().prints("0\n10\nend\n").silent("seam:")
		})
		t.Run("not closed with "+env, func(t *testing.T) {
			r := m.in(t).set(env).run("../welded", "not closed").ends(2).
				says("seam: the C function example.com/late.lies is welded and called back into Go; mark it cgo in seam.plan")
			if strings.Contains(r.out, "recovered") {
				t.Errorf("the program went on\n%s", r.text())
			}
		})
	}
	// The arguments of a function whose package exports nothing are on a stack that may
	// not move.
	for _, env := range []string{"", "GOMAXPROCS=1", "SEAM_LEAF=cgo"} {
		t.Run("a package without exports with "+env, func(t *testing.T) {
			m := m.in(t)
			if env != "" {
				m.set(env)
			}
			const name = "example.com/late/other.call_hook"
			r := m.run("../welded", "elsewhere").ends(2).prints("2\n").
				says("seam: the C function " + name + " is welded and called back into Go; mark it cgo in seam.plan: cgo " + name)
			if strings.Contains(r.out, "recovered") {
				t.Errorf("the program went on\n%s", r.text())
			}
		})
	}
}

// With GOMAXPROCS=1 a leaf that waits for Go on another thread ends with an explanation, not in
// a hang. One that calls Go itself is not taken for it.
func TestLeafThatWaitsForGo(t *testing.T) {
	t.Parallel()
	m := load(t, "waits")
	m.weld("build", "-o", "w", ".").ok().says("welded 3 of 3")
	m.in(t).set("GOMAXPROCS=2").run("./w").ok().prints("Go was called\n0\n").silent("seam:")
	m.in(t).set("GOMAXPROCS=1", "SEAM_LEAF=cgo").run("./w").ok().prints("Go was called\n0\n").silent("seam:")
	m.set("GOMAXPROCS=1", "SEAM_GUARD_LIMIT=2s")
	m.run("./w").ends(2).says("seam: example.com/waits.wait_for_go has not returned for 2 s, and with GOMAXPROCS=1 no Go code runs",
		"Mark it cgo in seam.plan: cgo example.com/waits.wait_for_go\n", "main._Cfunc_wait_for_go")
	m.run("./w", "long").ok().prints("0\n").says("waits.calls_go_for_long called back into Go").silent("has not returned")
}

// With more processors it is named, once, with C's stack, and counted, whichever way it was called; C that calls Go
// all the time is not.
func TestKept(t *testing.T) {
	t.Parallel()
	testKept(t, load(t, "kept").withLibrary())
}

func testKept(t *testing.T, m *module) {
	t.Helper()
	m.weld("build", "-o", "w", ".").ok().says("welded 4 of 4")
	r := m.in(t).set("GOMAXPROCS=4", "SEAM_GUARD=off", "SEAM_WATCH=1").run("./w").ok().prints("visits 0\n")
	for _, f := range []string{"kept/inner.reads", "kept.computes", "kept.spins"} {
		if n := strings.Count(r.errout, "seam: weld: C function example.com/"+f+" has kept its processor for "); n != 1 {
			t.Errorf("%s was named %d times\n%s", f, n, r.text())
		}
	}
	r.says("and waits in read (system call ", ": mark it cgo in seam.plan. C was here:\nseam:     read+0x", "_Cfunc_reads+0x")
}

// Goroutines that demote a function while others call it are no data race to users who
// look for theirs.
func TestRaceDetectorSeesNoneOfOurs(t *testing.T) {
	t.Parallel()
	m := load(t, "late")
	m.weld("build", "-race", "-o", "../welded", ".").ok()
	for range 5 {
		m.run("../welded", "goroutines", "gc").ok()
	}
}

// All of it in a build with the race detector, and many times.
func TestSoakLeafThatCallsGo(t *testing.T) {
	t.Parallel()
	testenv.Soak(t)
	for _, flag := range []string{"-race", "-gcflags=all=-N -l", "-buildmode=pie"} {
		m := load(t, "late")
		m.weld("build", flag, "-o", "../welded", ".").ok()
		for range 100 {
			for _, scenario := range []string{"goroutines", "nested", "panic", "deep", "registers"} {
				m.run("../welded", scenario, "gc").ok()
			}
		}
	}
}
