package mem_test

import (
	"testing"

	"github.com/seamgo/seam/mem"
)

func debugging() bool { return mem.Status().Path == mem.PathDebug }

func TestStatus(t *testing.T) {
	want := "mem: direct"
	if debugging() {
		want = "mem: debug (SEAM_MEM=debug in the environment)"
	}
	if got := mem.Status().String(); got != want {
		t.Errorf("Status is %q, want %q", got, want)
	}
}
