//seam:test race

package calltrace

import (
	"testing"
	"time"
)

// The control sees what the machine does while the program runs, and ends when it is told to.
func TestWatch(t *testing.T) {
	if _, ok := threadTime(); !ok {
		t.Skip("no clock of threads here")
	}
	start := time.Now()
	var c *Control
	var m *Machine
	for long := 4 * spinEvery; m == nil || m.SpunNS < uint64(spinFor)/2; long *= 2 { // others may have the processors
		if long > time.Minute {
			t.Fatalf("in %v it did no more than %+v", long/2, m)
		}
		c = Watch()
		time.Sleep(long)
		m = c.Stop([]Process{{Start: start.Add(-time.Hour), WallNS: int64(2 * time.Hour)}})
	}
	if most := time.Since(start); m.SpunNS > uint64(most) {
		t.Fatalf("one thread had the processor for %+v in %v", m, most)
	}
	for _, list := range [][]Bin{m.Stalls, m.Lost} {
		for i, b := range list {
			if b.Calls == 0 || b.UpToNS < leastLost || i > 0 && b.UpToNS <= list[i-1].UpToNS {
				t.Errorf("bins %v", list)
			}
		}
	}
	if m := c.Stop([]Process{{Start: start.Add(-time.Hour), WallNS: int64(time.Minute)}}); m != nil {
		t.Errorf("while no process ran, %+v was seen", m)
	}
}

func TestBinOf(t *testing.T) {
	for i := range bins - 1 {
		if got := binOf(binEnd(i)); got != i {
			t.Errorf("%d is in bin %d, want %d", binEnd(i), got, i)
		}
		if got := binOf(binStart(i)); got != i {
			t.Errorf("%d is in bin %d, want %d", binStart(i), got, i)
		}
	}
	if got := binOf(1 << 62); got != bins-1 {
		t.Errorf("the longest is in bin %d", got)
	}
}
