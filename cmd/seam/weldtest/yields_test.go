//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

var yields = []string{"lock over a callback", "for Go", "in time", "in a child"}

// C in coro functions that waits for a lock, a transfer or anybody else gives up its processor: a lock may be held over a
// callback by as many goroutines as like, and Go code ends waits. The results are those of cgo.
func TestYields(t *testing.T) {
	t.Parallel()
	for name, c := range linkings(t, "yields", "ways", "in_time ", "lock_name ") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "dynamic" {
				testenv.Builds(t)
			}
			m := load(t, "yields")
			if c.prepare != nil {
				c.prepare(m)
			}
			build := func(as string) []string { return append(append([]string{"build", "-o", as}, c.flags...), ".") }
			m.plain(build("../plain")...).ok()
			m.weld(build("../welded")...).ok().says("welded 4 of 4")
			m.set("SEAM_GUARD=off") // it may be wrong about C between two waits while the machine is busy
			for _, scenario := range yields {
				plain := m.run("../plain", scenario).ok()
				for _, env := range [][]string{{"GOMAXPROCS=1"}, {"GOMAXPROCS=2"}, {"GOMAXPROCS=1", "GOGC=1"}} {
					same(t, plain, m.in(t).set(env...).run("../welded", scenario).silent("seam:"))
				}
			}
		})
	}
}

func TestYieldsArm64(t *testing.T) {
	t.Parallel()
	m, emulator := emulated(t, "yields", "welded 4 of 4")
	m.set("SEAM_GUARD=off")
	for _, scenario := range yields {
		same(t, m.run(append(emulator, "../plain", scenario)...).ok(), m.in(t).set("GOMAXPROCS=1").run(append(emulator, "../welded", scenario)...).silent("seam:"))
	}
}
