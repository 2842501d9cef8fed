package netio_test

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio"
)

func TestStatus(t *testing.T) {
	s, c := netio.Status(), coro.Status()
	if (s.Path == netio.PathSwitch) != (c.Path == coro.PathAssembly) || s.Reason != c.Reason {
		t.Errorf("the state is %q where that of coro is %q", s, c)
	}
	if !strings.HasPrefix(s.String(), "netio: "+s.Path) {
		t.Errorf("path %q reads %q", s.Path, s)
	}
}
