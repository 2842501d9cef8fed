package broken

import "testing"

func TestLength(t *testing.T) {
	if length() != 4 {
		t.Error(length())
	}
}
