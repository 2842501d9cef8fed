package clean

import "testing"

func TestLength(t *testing.T) {
	if n := Length("four"); n != 4 {
		t.Error(n)
	}
}
