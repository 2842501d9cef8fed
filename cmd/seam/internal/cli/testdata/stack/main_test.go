package main

import "testing"

func TestClimb(t *testing.T) {
	done := make(chan uintptr)
	go func() { done <- climb(10) }()
	if moves := <-done; moves < 3 {
		t.Errorf("the stack moved %d times", moves)
	}
}
