//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// more is how many threads a program may have besides those in bounded C: the runtime's own,
// and one for each processor.
const more = 24

// threads is how many threads a program said that it got.
func threads(t *testing.T, r result) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^threads: (\d+)$`).FindStringSubmatch(r.errout)
	if m == nil {
		t.Fatalf("%q counted no threads\n%s", r.args, r.text())
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// bounds is the module of that name, whose calls have time enough on any machine.
func bounds(t *testing.T) *module {
	t.Helper()
	return load(t, "bounds").set("SEAM_GUARD_LIMIT=600s")
}

// So many goroutines are in C at once as the plan says, and their calls mean the same as
// without it: results, errno, callbacks that call C again, panics and Goexit that leave C.
func TestBounds(t *testing.T) {
	t.Parallel()
	m := bounds(t)
	m.plain("build", "-o", "../plain", ".").ok()
	m.weld("build", "-o", "../welded", ".").ok().says("welded 8 of 8 functions")
	for _, env := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4", "SEAM_GUARD=off", "SEAM_OFFLOAD=off"} {
		for _, scenario := range []string{"nested", "panics", "goexit", "errno", "grow", "locked", "meet"} {
			t.Run(scenario+" with "+env, func(t *testing.T) {
				m := m.in(t).set(env)
				same(t, m.run("../plain", scenario).ok(), m.run("../welded", scenario).ok().silent("seam:"))
			})
		}
		bounded := env != "SEAM_OFFLOAD=off"
		t.Run("handed over with "+env, func(t *testing.T) {
			r := m.in(t).set(env).run("../welded", "handover").ok().prints("100 ").silent("seam:")
			if bounded {
				r.prints("true\n")
			}
		})
		t.Run("threads with "+env, func(t *testing.T) {
			r := m.in(t).set(env).run("../welded", "naps").ok().prints("now: 0\n")
			if !bounded {
				return
			}
			r.prints("at once: true")
			if n := threads(t, r); n > 8+more {
				t.Errorf("500 goroutines in C of offload:8 took %d threads", n)
			}
		})
	}
	m.in(t).set("SEAM_OFFLOAD=some").run("../welded", "errno").ok().prints("ok").
		says("seam: SEAM_OFFLOAD=some is unknown: want on or off; taking on\n")
}

// A bound of the program is one of all C that is called as Go calls C: what the plan doesn't
// name, what has a bound of its own too, and not what is excepted.
func TestThreadsOfTheProgram(t *testing.T) {
	t.Parallel()
	m := bounds(t)
	m.write("seam.plan", "threads: 4\noffload:2 example.com/bounds.fails\nleaf example.com/bounds.inside\ncgo example.com/bounds.meet unbounded\n")
	m.weld("build", "-o", "../welded", ".").ok().
		says("welded 2 of 2 functions", "4 goroutines may be in C at once, in 8 functions")
	for _, scenario := range []string{"nested", "panics", "errno", "grow", "handover"} {
		m.run("../welded", scenario).ok().silent("seam:")
	}
	m.set("SEAM_GUARD=off") // nobody is let in who isn't by the plan
	if n := threads(t, m.run("../welded", "both").ok()); n > 4+more {
		t.Errorf("200 goroutines in C of two packages took %d threads, with threads: 4", n)
	}
	m.run("../welded", "meet").ok().prints("met")

	// The same as the go command's own -toolexec; and one line more in the plan rebuilds.
	byHand := []string{"go", "build", "-toolexec", "'" + seam + "' toolexec", "-o", "../by hand", "."}
	m.run(byHand...).ok()
	if n := threads(t, m.run("../by hand", "both").ok()); n > 4+more {
		t.Errorf("built by hand it took %d threads, with threads: 4", n)
	}
	// Packages of other people's may be in an older Go.
	old := bounds(t)
	old.write("go.mod", "module example.com/bounds\n\ngo 1.16\n")
	old.write("seam.plan", "offload:2 example.com/bounds/other.nap\n")
	old.weld("build", "./other").ok().says("welded 1 of 1")

	m.write("seam.plan", "threads: 150\n")
	m.weld("build", "-o", "../welded", ".").ok().says("150 goroutines may be in C at once")
	if !strings.Contains(m.read("../welded"), "threads: 150") {
		t.Error("the program has another bound than threads: 150")
	}
}

// Calls that wait for each other in C don't wait for ever where they aren't let in at once.
func TestBoundOfCallsThatWaitForEachOther(t *testing.T) {
	t.Parallel()
	m := bounds(t)
	m.write("seam.plan", "offload:1 example.com/bounds.meet group=shy\n")
	m.weld("build", "-o", "../welded", ".").ok()
	m.set("SEAM_GUARD_LIMIT=1s").run("../welded", "meet").ok().prints("met").
		says("seam: offload:1 group=shy: for 1 s no call has returned of the 1 that may be under way (example.com/bounds.meet), and 1 wait.")
}

// Bounds in the builds that differ: another Go, the race detector, no optimisation, files in
// place of a package.
func TestBoundsInBuilds(t *testing.T) {
	t.Parallel()
	m := bounds(t)
	builds := [][]string{{"-race"}, {"-gcflags=all=-N -l"}, {"-buildmode=pie"}}
	check := func(t *testing.T, m *module, flags ...string) {
		t.Helper()
		m.weld(append([]string{"build", "-o", "../welded"}, flags...)...).ok().says("welded 8 of 8 functions")
		for _, scenario := range []string{"nested", "panics", "goexit", "errno", "handover"} {
			m.run("../welded", scenario).ok().silent("seam:")
		}
	}
	for _, flags := range builds {
		t.Run(flags[0], func(t *testing.T) {
			testenv.Builds(t)
			check(t, m.in(t), append(flags, ".")...)
		})
	}
	for _, version := range testenv.OtherVersions() {
		t.Run(version, func(t *testing.T) { check(t, m.in(t).set("GOTOOLCHAIN="+version), ".") })
	}
}
