package other

import "testing"

func TestCalls(t *testing.T) {
	for range 10 {
		if Twice(2) != 4 {
			t.Error("want 4")
		}
	}
	if Again(5) != 2 { // six calls, one in the other
		t.Error("want 2")
	}
}
