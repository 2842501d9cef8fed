//go:build cgo

package offload

import "testing"

func TestChoose(t *testing.T) {
	for _, c := range []struct{ env, system, want string }{
		{"", "linux", "offload: native"},
		{"auto", "linux", "offload: native"},
		{"no such path", "linux", "offload: native"},
		{"cgo", "linux", "offload: cgo (SEAM_OFFLOAD=cgo in the environment)"},
		{"", "darwin", "offload: cgo (it is native only on Linux, and this is darwin)"},
		{"cgo", "darwin", "offload: cgo (SEAM_OFFLOAD=cgo in the environment)"},
	} {
		t.Setenv("SEAM_OFFLOAD", c.env)
		if got := choose(c.system).String(); got != c.want {
			t.Errorf("with SEAM_OFFLOAD=%q on %s: %q, want %q", c.env, c.system, got, c.want)
		}
	}
}
