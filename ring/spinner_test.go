package ring

import (
	"testing"
	"time"
)

// A spinner looks for as long as answers take, if that is worth it, and hardly at all where
// they take longer; both ways it learns within a few waits.
func TestSpinner(t *testing.T) {
	s := spinner{limit: longSpin, judges: true, expect: shortSpin}
	waits := func(n int, d time.Duration) {
		for range n {
			s.learn(d)
		}
	}
	waits(20, 16*time.Microsecond)
	if b := s.budget(); b < 30*time.Microsecond || b > longSpin {
		t.Errorf("answers take 16 µs, and it looks for %v", b)
	}
	waits(20, 0)
	if b := s.budget(); b < time.Microsecond || b > shortSpin {
		t.Errorf("answers are there at once, and it looks for %v", b)
	}
	waits(1, time.Hour) // one says nothing
	if b := s.budget(); b < shortSpin {
		t.Errorf("after one long wait it looks for %v", b)
	}
	waits(8, time.Millisecond)
	if b := s.budget(); b > shortest {
		t.Errorf("answers take a millisecond, and it looks for %v", b)
	}
	s.failed = 63
	if b := s.budget(); b != longSpin {
		t.Errorf("the 64th time in vain it looks for %v", b)
	}
	s.failed = 64
	waits(8, 30*time.Microsecond)
	if b := s.budget(); b != longSpin {
		t.Errorf("answers take 30 µs again, and it looks for %v", b)
	}
	// Who says how long means it.
	s = spinner{limit: time.Second}
	waits(5, 16*time.Microsecond)
	if b := s.budget(); b != time.Second {
		t.Errorf("it looks for %v, and was told a second", b)
	}
	s = spinner{limit: time.Microsecond}
	waits(20, time.Millisecond)
	if b := s.budget(); b != shortest {
		t.Errorf("it looks for %v", b)
	}
}
