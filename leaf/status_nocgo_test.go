//go:build !cgo

package leaf_test

import (
	"testing"

	"github.com/seamgo/seam/leaf"
)

func TestStatusWithoutCgo(t *testing.T) {
	if got, want := leaf.Status().String(), "leaf: none (built with CGO_ENABLED=0)"; got != want {
		t.Errorf("Status is %q, want %q", got, want)
	}
	if len(leaf.ReadStats().Functions) != 0 {
		t.Error("there are guard figures")
	}
}
