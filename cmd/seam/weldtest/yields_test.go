//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import "testing"

var yields = []string{"lock over a callback", "for Go", "in time", "in a child"}

// C in coro functions that waits for a lock, a transfer or anybody else gives up its processor: a lock may be held over a
// callback by as many goroutines as like, and Go code ends waits. The results are those of cgo.
func TestYields(t *testing.T) {
	t.Parallel()
	eachLinking(t, "yields", "ways", "in_time ", "lock_name ", "welded 4 of 4", func(t *testing.T, m *module, _ string) {
		for _, scenario := range yields {
			plain := m.run("../plain", scenario).ok()
			for _, env := range [][]string{{"GOMAXPROCS=1"}, {"GOMAXPROCS=2"}, {"GOMAXPROCS=1", "GOGC=1"}} {
				same(t, plain, m.in(t).set(env...).run("../welded", scenario).silent("seam:"))
			}
		}
	})
}

func TestYieldsArm64(t *testing.T) {
	t.Parallel()
	m, emulator := emulated(t, "yields", "welded 4 of 4")
	m.set("SEAM_GUARD=off")
	for _, scenario := range yields {
		same(t, m.run(append(emulator, "../plain", scenario)...).ok(), m.in(t).set("GOMAXPROCS=1").run(append(emulator, "../welded", scenario)...).silent("seam:"))
	}
}
