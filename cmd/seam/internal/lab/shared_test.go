package lab

import "testing"

// All users of a key get the same value, until nobody has it.
func TestShared(t *testing.T) {
	var s Shared[string, *int]
	made := 0
	create := func() *int { made++; return new(int) }
	a, release := s.Get("k", create)
	b, releaseB := s.Get("k", create)
	if a != b || made != 1 {
		t.Errorf("%d values for two users", made)
	}
	release()
	release() // a second time changes nothing
	if c, releaseC := s.Get("k", create); c != a {
		t.Error("the value was given up while it had a user")
	} else {
		releaseC()
	}
	releaseB()
	if s.Len() != 0 {
		t.Errorf("%d values are kept for nobody", s.Len())
	}
	if c, releaseC := s.Get("k", create); c == a {
		t.Error("a value is back that nobody had")
	} else {
		releaseC()
	}
}
