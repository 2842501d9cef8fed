//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"regexp"
	"strings"
	"testing"

	library "github.com/seamgo/seam"
)

// Each function of libc that waits does in coro and in parked functions what it does with cgo, where the wait
// ends, where it times out, and while Go wants to preempt.
func TestTable(t *testing.T) {
	t.Parallel()
	table, err := library.Netio.ReadFile("coro/netio/table.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"coro", "park"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			m := load(t, "table")
			if mode == "park" {
				m.write("seam.plan", strings.NewReplacer("coro", "park", " budget=100ms", "").Replace(m.read("seam.plan")))
			}
			m.plain("build", "-o", "../plain", ".").ok()
			m.weld("build", "-o", "../welded", ".").ok().says("welded 2 of 2")
			m.set("SEAM_GUARD=off", "SEAM_PARK=all")
			plain := m.run("../plain").ok()
			for _, row := range regexp.MustCompile(`(?m)^\tF\([^,]+, (\w+), `).FindAllSubmatch(table, -1) {
				// Of C++: see TestParkCxx.
				if name := string(row[1]); name != "__cxa_guard_acquire" && !strings.Contains("\n"+plain.out, "\n"+name+" ") {
					t.Errorf("there is no case of %s", name)
				}
			}
			for _, procs := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4", "GOMAXPROCS=16"} {
				same(t, plain, m.in(t).set(procs).run("../welded").silent("seam:"))
				same(t, plain, m.in(t).set(procs).run("../welded", "gc").silent("seam:"))
			}
		})
	}
}

func TestTableArm64(t *testing.T) {
	t.Parallel()
	m, emulator := emulated(t, "table", "welded 2 of 2")
	m.set("SEAM_GUARD=off", "SEAM_PARK=all")
	plain := m.run(append(emulator, "../plain")...).ok()
	same(t, plain, m.run(append(emulator, "../welded")...).silent("seam:"))
	m.write("seam.plan", strings.NewReplacer("coro", "park", " budget=100ms", "").Replace(m.read("seam.plan")))
	m.weld("build", "-o", "../welded", ".").ok().says("welded 2 of 2")
	same(t, plain, m.run(append(emulator, "../welded")...).silent("seam:"))
}
