package ring

import (
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// Neither records nor waiting for them, without a deadline, allocate.
func TestAllocations(t *testing.T) {
	testenv.Allocations(t)
	there, here := pair(t, 4096, 0, Options{Spin: -1})
	back, home := pair(t, 4096, 0, Options{Spin: -1})
	go func() {
		defer back.Close()
		for {
			rec, err := here.Next(forever)
			if err != nil || back.Send(forever, rec) != nil {
				return
			}
		}
	}()
	rec := make([]byte, 100)
	if n := testing.AllocsPerRun(1000, func() {
		if err := there.Send(forever, rec); err != nil {
			t.Fatal(err)
		}
		if _, err := home.Next(forever); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations in a round trip", n)
	}
	if there.Stats().ReaderSleeps == 0 {
		t.Error("nobody slept")
	}
	there.Close()
}
