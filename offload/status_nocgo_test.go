//go:build !cgo

package offload_test

import (
	"testing"

	"github.com/seamgo/seam/offload"
)

func TestStatusWithoutCgo(t *testing.T) {
	if got, want := offload.Status().String(), "offload: none (built with CGO_ENABLED=0)"; got != want {
		t.Errorf("Status is %q, want %q", got, want)
	}
}
