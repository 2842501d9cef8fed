//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// C that calls Go as a matter of course does with coro what it does with cgo: on stacks
// that move, under garbage collection and all profiles, from threads of its own, and where Go panics
// or ends the goroutine.
func TestCoro(t *testing.T) {
	t.Parallel()
	m := load(t, "coro")
	m.plain("build", "-o", "../plain", ".").ok()
	m.weld("build", "-o", "../welded", ".").ok().says("welded 16 of 16")
	m.set("CALLBACKS=200000")
	scenarios := []string{"visit", "quick", "goroutine", "nested", "wide", "leave", "locks", "locked", "thread", "errno", "profiles", "never", "signals", "own signals", "storm"}
	for _, scenario := range scenarios {
		plain := m.in(t).run("../plain", scenario, "gc").ok()
		for _, env := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4", "SEAM_GUARD=all", "SEAM_GUARD=off"} {
			t.Run(scenario+" with "+env, func(t *testing.T) {
				t.Parallel()
				same(t, plain, m.in(t).set(env).run("../welded", scenario, "gc").silent("seam:"))
			})
		}
	}
	for scenario, code := range map[string]int{"exit": 7, "exit in a callback": 8, "exit of Go": 9} {
		plain := m.in(t).run("../plain", scenario, "gc").ends(code)
		for _, env := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4"} {
			t.Run(scenario+" with "+env, func(t *testing.T) {
				t.Parallel()
				same(t, plain, m.in(t).set(env).run("../welded", scenario, "gc").silent("seam:"))
			})
		}
	}
	t.Run("through cgo", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("SEAM_LEAF=cgo").run("../welded", "leave").ok().prints("true true\nout of C twice\n4950\nend\n").silent("seam:")
	})
	t.Run("unlocked too often", func(t *testing.T) {
		t.Parallel()
		r := m.in(t).run("../welded", "unlocked")
		if r.code != 0 { // it was stopped in the nanoseconds in between, and went on on another thread
			r.ends(2).says("seam: the C function example.com/coro.visit is welded and called back into Go")
			return
		}
		r.prints("4950\nend\n").silent("seam:")
	})
	t.Run("a panic that nobody recovers", func(t *testing.T) {
		t.Parallel()
		m.in(t).run("../welded", "unrecovered").ends(2).says("panic: out of C", "runtime/cgo.seamCFunctionCallsGo", "main._Cfunc_leave", "main.main()")
	})
	t.Run("the guard times C alone", func(t *testing.T) {
		t.Parallel()
		m.in(t).run("../welded", "slow").ok().says("seam: example.com/coro.slow_c ran without calling Go for more than 100 us").silent("slow_go")
	})
	t.Run("the watch waits for C alone", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("GOMAXPROCS=1", "SEAM_GUARD_LIMIT=2s").run("../welded", "long").ok().silent("seam:")
	})
}

// The same on arm64, by an emulator: what stands between C and Go is other assembly there.
func TestCoroArm64(t *testing.T) {
	t.Parallel()
	m, emulator := emulated(t, "coro", "welded 16 of 16")
	m.set("CALLBACKS=20000", "LEAVES=200")
	for _, scenario := range []string{"visit", "quick", "goroutine", "nested", "wide", "leave", "locks", "locked", "thread", "errno", "never", "signals", "own signals", "storm"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			m := m.in(t)
			same(t, m.run(append(emulator, "../plain", scenario, "gc")...).ok(), m.run(append(emulator, "../welded", scenario, "gc")...).silent("seam:"))
		})
	}
}

// emulated builds a module for arm64, as it is and welded.
func emulated(t *testing.T, name, said string) (m *module, emulator []string) {
	t.Helper()
	testenv.Builds(t)
	testenv.Foreign(t, "aarch64-linux-gnu-gcc", "qemu-aarch64")
	m = load(t, name).set("GOARCH=arm64", "CC=aarch64-linux-gnu-gcc")
	m.plain("build", "-o", "../plain", ".").ok()
	m.weld("build", "-o", "../welded", ".").ok().says(said)
	return m, []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"}
}

// A plan that was made for leaves of another kind of program.
func TestLeafPlanAsCoro(t *testing.T) {
	t.Parallel()
	m := load(t, "late")
	m.write("seam.plan", strings.NewReplacer("leaf ", "coro ", " closed", "").Replace(m.read("seam.plan")))
	m.plain("build", "-o", "../plain", ".").ok()
	m.weld("build", "-o", "../welded", ".").ok().says("welded 18 of 18")
	for _, scenario := range []string{"goroutines", "locked", "nested", "errno", "struct", "registers", "panic", "deep"} {
		same(t, m.run("../plain", scenario, "gc").ok(), m.run("../welded", scenario, "gc").silent("seam:"))
	}
	// A package without exports calls those of another one.
	m.run("../welded", "elsewhere").ok().prints("2\n3\nrecovered: <nil>\nend\n").silent("seam:")
}

// With the race detector the functions are called by cgo, whose events it knows.
func TestCoroWithRace(t *testing.T) {
	t.Parallel()
	m := load(t, "coro")
	m.weld("build", "-race", "-o", "../welded", ".").ok().says("welded 16 of 16")
	for _, scenario := range []string{"visit", "nested", "thread"} {
		m.run("../welded", scenario).ok().silent("seam:")
	}
}

func TestSoakCoro(t *testing.T) {
	t.Parallel()
	testenv.Soak(t)
	for _, flag := range []string{"-buildmode=exe", "-gcflags=all=-N -l", "-buildmode=pie"} {
		m := load(t, "coro")
		m.weld("build", flag, "-o", "../welded", ".").ok()
		for range 100 {
			for _, scenario := range []string{"visit", "quick", "nested", "leave", "thread", "profiles"} {
				m.run("../welded", scenario, "gc").ok().silent("seam:")
			}
		}
	}
}

// 1e8 callbacks, each checked, and 1e6 that leave C.
func TestSoakCallbacks(t *testing.T) {
	t.Parallel()
	testenv.Soak(t)
	m := load(t, "coro")
	m.weld("build", "-o", "../welded", ".").ok()
	m.in(t).set("CALLBACKS=100000000").run("../welded", "storm", "gc").ok().prints("true true true\nend\n").silent("seam:")
	m.in(t).set("LEAVES=500000").run("../welded", "leave").ok().prints("true true\n").silent("seam:")
}
