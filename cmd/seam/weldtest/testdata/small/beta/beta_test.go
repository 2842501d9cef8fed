package beta_test

import (
	"testing"

	"example.com/small/beta"
)

func TestScale(t *testing.T) {
	if got := beta.Scale(1.5, 2); got != 3 {
		t.Error(got)
	}
}
