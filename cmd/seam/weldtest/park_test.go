//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// atOnce is how many goroutines of testdata/park wait in C at once; with cgo that is a thread each.
// few is far above what the runtime, the workers and a loaded machine take together.
const (
	atOnce = 300
	few    = 60
)

var threadCount = regexp.MustCompile(`threads: (\d+)`)

// C that waits in libc, for descriptors, for the time, for locks, or in Go does parked what it does
// with cgo, by hundreds of goroutines on a few threads.
func TestPark(t *testing.T) {
	t.Parallel()
	m := load(t, "park")
	m.weld("build", "-o", "../welded", ".").ok().says("welded 57 of 57")
	m.set("CALLBACKS=20000")
	scenarios := []string{"sleep", "arguments", "pipes", "sockets", "locks", "condition", "semaphore",
		"timed", "init", "join", "errno", "thread", "poll", "callback", "nested", "leave", "deep", "locked", "c11", "stdio",
		"cthreads", "wide", "raise", "posts", "notify", "handler", "lock over Go", "lock again", "spin", "once", "timed locks", "one file", "barrier", "words", "own handler", "own stack", "told", "busy reads", "storm"}
	for _, scenario := range scenarios {
		for _, env := range []string{"SEAM_PARK=all GOMAXPROCS=1", "SEAM_PARK=all GOMAXPROCS=4", "GOGC=1"} {
			args := []string{"../welded", scenario}
			if scenario == "own stack" && env == "GOGC=1" {
				env += " SEAM_PARK=all" // the first call goes through cgo, which can't call Go from there
			}
			if env == "SEAM_PARK=all GOMAXPROCS=4" {
				args = append(args, "gc")
			}
			t.Run(scenario+" with "+env, func(t *testing.T) {
				t.Parallel()
				r := m.in(t).set(strings.Fields(env)...).run(args...).ok()
				r.prints("wrong: 0\nend\n").silent("seam:")
				if n := threadCount.FindStringSubmatch(r.errout); n != nil {
					if got, _ := strconv.Atoi(n[1]); got > few {
						t.Errorf("%d goroutines in C took %d threads", atOnce, got)
					}
				}
			})
		}
	}
	for _, env := range []string{"SEAM_PARK=all GOMAXPROCS=1", "SEAM_PARK=all GOMAXPROCS=4", "GOGC=1"} {
		t.Run("system semaphore with "+env, func(t *testing.T) {
			t.Parallel()
			m.in(t).set(strings.Fields(env)...).run("../welded", "system semaphore").ok().prints("wrong: 0\nend\n").silent("seam:")
		})
	}
	for scenario, out := range map[string]string{"exit": "", "exit of C": "at exit: 0 6\n", "exit of C without Go": "at exit: 0 5\n"} {
		for _, procs := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4"} {
			t.Run(scenario+" with "+procs, func(t *testing.T) {
				t.Parallel()
				if r := m.in(t).set("SEAM_PARK=all", procs).run("../welded", scenario).ends(7).silent("seam:"); r.out != out {
					t.Errorf("it printed %q, want %q", r.out, out)
				}
			})
		}
	}
	t.Run("a stack that is too small", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("SEAM_PARK=all").run("../welded", "overflow").says("seam: example.com/park.deep needs a larger stack than the 1024 KiB that it has", "write stack=4096KiB")
	})
	t.Run("a wait that can't be made cooperative", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("SEAM_PARK=all").run("../welded", "futex").ok().prints("wrong: 0\nend\n").
			says("seam: example.com/park.raw_futex waits in a way that keeps its thread (a futex); it is called through cgo from now on", "seam:     ask_kernel")
	})
	t.Run("SIGQUIT", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("SEAM_PARK=all", "GOMAXPROCS=4").run("../welded", "quit").ends(2).
			says(" are in C function example.com/park.sleep_ms, which waits:\nseam:     ", "\nseam:     sleep_ms+0x", "SIGQUIT: quit")
	})
	t.Run("who looks takes no descriptor", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("SEAM_PARK=all", "GOMAXPROCS=4").run("../welded", "descriptors").ok().prints("wrong: 0\nend\n").says("seam:     ask_kernel")
	})
	t.Run("C that asks where its stack is", func(t *testing.T) {
		t.Parallel()
		r := m.in(t).set("SEAM_PARK=all").run("../welded", "bounds").ok().prints("wrong: 0\nend\n").
			says("seam: example.com/park.stack_kb asks where its thread's stack is", "mark them cgo or coro in seam.plan")
		if n := strings.Count(r.text(), "seam:"); n != 1 {
			t.Errorf("it says so %d times\n%s", n, r.text())
		}
		if n := threadCount.FindStringSubmatch(r.errout); n == nil {
			t.Errorf("no number of threads\n%s", r.text())
		} else if got, _ := strconv.Atoi(n[1]); got <= few {
			t.Errorf("%d calls that must not be parked took %d threads", atOnce, got)
		}
	})
	// Named as a wait that keeps its thread, it would say that about a function that has none.
	for _, procs := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4"} {
		t.Run("a lock of the run-time's own with "+procs, func(t *testing.T) {
			t.Parallel()
			m.in(t).set("SEAM_PARK=all", procs).run("../welded", "starved").ok().prints("wrong: 0\nend\n").silent("seam:")
		})
	}
	t.Run("an unknown word", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("SEAM_PARK=some").run("../welded", "errno").ok().prints("wrong: 0\nend\n").
			says("seam: SEAM_PARK=some is unknown: want on, off or all; taking on\n")
	})
	t.Run("off", func(t *testing.T) {
		t.Parallel()
		m.in(t).set("SEAM_PARK=off").run("../welded", "leave").ok().prints("wrong: 0\nend\n").silent("seam:")
	})
}

// The same on arm64, by an emulator, which is too slow for some of the waits of the others.
func TestParkArm64(t *testing.T) {
	t.Parallel()
	m, emulator := emulated(t, "park", "welded 57 of 57")
	m.set("CALLBACKS=2000", "SEAM_PARK=all")
	for _, scenario := range []string{"arguments", "pipes", "sockets", "locks", "condition", "timed", "join", "errno", "thread", "poll", "callback", "nested",
		"leave", "deep", "locked", "c11", "wide", "lock over Go", "lock again", "once", "barrier", "words", "own stack", "told", "system semaphore", "starved", "storm"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			m.in(t).run(append(emulator, "../welded", scenario)...).ok().prints("wrong: 0\nend\n").silent("seam:")
		})
	}
}

// The other versions of Go compile its C in their own way, and have other runtimes.
func TestParkGoVersions(t *testing.T) {
	t.Parallel()
	for _, version := range testenv.OtherVersions() {
		m := load(t, "park").set("GOTOOLCHAIN="+version, "SEAM_PARK=all")
		m.weld("build", "-o", "../welded", ".").ok().says("welded 57 of 57")
		for _, scenario := range []string{"pipes", "locks", "callback", "nested", "leave", "lock again", "raise"} {
			m.run("../welded", scenario, "gc").ok().prints("wrong: 0\nend\n").silent("seam:")
		}
	}
}

// The plan's stack is the one that the function gets.
func TestParkStack(t *testing.T) {
	t.Parallel()
	m := load(t, "park")
	m.write("seam.plan", strings.Replace(m.read("seam.plan"), "park.deep\n", "park.deep stack=4MiB\n", 1))
	m.weld("build", "-o", "../welded", ".").ok()
	m.set("SEAM_PARK=all").run("../welded", "overflow").ok().prints("wrong: 0\nend\n").silent("seam:")
}

// In a static executable libc's functions are called by other names.
func TestParkStatic(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "park")
	m.weld("build", "-o", "../welded", "-ldflags=-linkmode=external -extldflags=-static", ".").ok()
	for _, scenario := range []string{"pipes", "once", "barrier", "words", "timed locks", "one file", "lock again"} {
		m.in(t).set("SEAM_PARK=all").run("../welded", scenario).ok().prints("wrong: 0\nend\n").silent("seam:")
	}
}

// Panics and the ends of goroutines leave nothing behind, in whatever number.
func TestSoakParkLeaves(t *testing.T) {
	t.Parallel()
	testenv.Soak(t)
	m := load(t, "park")
	m.weld("build", "-o", "../welded", ".").ok()
	m.set("SEAM_PARK=all", "LEAVES=500000").run("../welded", "leaves").ok().prints("wrong: 0\nend\n").silent("seam:")
}

// 1e6 callbacks of parked functions, each checked.
func TestSoakParkCallbacks(t *testing.T) {
	t.Parallel()
	testenv.Soak(t)
	m := load(t, "park")
	m.weld("build", "-o", "../welded", ".").ok()
	m.set("SEAM_PARK=all", "CALLBACKS=1000000").run("../welded", "storm", "gc").ok().prints("wrong: 0\nend\n").silent("seam:")
}

// C++ has waits of its own: static variables, and what C++20 builds on futexes.
func TestParkCxx(t *testing.T) {
	t.Parallel()
	m := load(t, "cxxwaits")
	m.weld("build", "-o", "../welded", ".").ok().says("welded 10 of 10")
	// Without the library's own __cxa_guard_acquire.
	static := load(t, "cxxwaits").set("CGO_LDFLAGS=-static-libstdc++")
	static.weld("build", "-o", "../welded", ".").ok().says("welded 10 of 10")
	for _, scenario := range []string{"static", "static fails", "barrier", "latch", "semaphore", "value", "locks", "future", "caught"} {
		for _, env := range []string{"SEAM_PARK=all GOMAXPROCS=1", "SEAM_PARK=all GOMAXPROCS=4", "GOGC=1"} {
			t.Run(scenario+" with "+env, func(t *testing.T) {
				t.Parallel()
				r := m.in(t).set(strings.Fields(env)...).run("../welded", scenario, "gc").ok()
				r.prints("wrong: 0\nend\n").silent("seam:")
				if n := threadCount.FindStringSubmatch(r.errout); n == nil {
					t.Errorf("no number of threads\n%s", r.text())
				} else if got, _ := strconv.Atoi(n[1]); got > few {
					t.Errorf("C++ that waits took %d threads", got)
				}
				static.in(t).set(strings.Fields(env)...).run("../welded", scenario).ok().prints("wrong: 0\nend\n").silent("seam:")
			})
		}
	}
}

// A program that imports package coro's netio, too, waits without threads in both ways.
func TestParkBesideNetio(t *testing.T) {
	t.Parallel()
	m := load(t, "both")
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	m.plain("mod", "edit", "-replace", "github.com/seamgo/seam="+root).ok()
	m.set("GOWORK=off", "CGO_CFLAGS=-I"+filepath.Join(root, "include"))
	m.weld("build", "-o", "../welded", ".").ok().says("welded 1 of 1")
	r := m.set("SEAM_PARK=all").run("../welded").ok().prints("switch\nwrong: 0\n").silent("seam:")
	if n := threadCount.FindStringSubmatch(r.errout); n == nil {
		t.Errorf("no number of threads\n%s", r.text())
	} else if got, _ := strconv.Atoi(n[1]); got > few {
		t.Errorf("200 calls that wait in C took %d threads", got)
	}
}

// A library that is opened with RTLD_DEEPBIND finds libc's functions before ours: its waits keep their workers, which is
// said, and nothing hangs.
func TestParkDeepBind(t *testing.T) {
	t.Parallel()
	m := load(t, "deepbind")
	m.run(testenv.Tool(t, "gcc"), "-shared", "-fPIC", "-o", "lib.so", "-x", "c", "lib.c.txt").ok()
	m.weld("build", "-o", "w", ".").ok().says("welded 1 of 1")
	m.set("SEAM_PARK=all")
	m.run("./w").ok().prints("end\n").silent("seam:")
	m.run("./w", "deep").ok().prints("end\n").says("seam: example.com/deepbind.through waits in a way that keeps its thread")
}

// With the race detector the functions are called by cgo, whose events it knows.
func TestParkWithRace(t *testing.T) {
	t.Parallel()
	m := load(t, "park")
	m.weld("build", "-race", "-o", "../welded", ".").ok().says("welded 57 of 57")
	m.set("SEAM_PARK=all").run("../welded", "callback").ok().prints("wrong: 0\nend\n").silent("seam:")
}
