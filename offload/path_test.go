//go:build cgo && unix

package offload_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/offload"
)

// CI may set SEAM_WANT_OFFLOAD to the path that the build under test must take, so
// that a silent fallback fails.
func TestStatus(t *testing.T) {
	s := offload.Status()
	t.Log(s)
	if want := os.Getenv("SEAM_WANT_OFFLOAD"); want != "" && s.Path != want {
		t.Errorf("calls go by %q, want %q: %s", s.Path, want, s.Reason)
	}
	if env := os.Getenv("SEAM_OFFLOAD"); runtime.GOOS == "linux" && (env == "" || env == "auto") && s.Path != offload.PathNative {
		t.Errorf("on Linux the path is %q: %s", s.Path, s.Reason)
	}
	if (s.Reason == "") != (s.Path == offload.PathNative) || !strings.HasPrefix(s.String(), "offload: "+s.Path) {
		t.Errorf("path %q with reason %q: %s", s.Path, s.Reason, s)
	}
}

// The tests of this package must also pass where calls go through cgo.
func TestOtherPaths(t *testing.T) {
	if os.Getenv("SEAM_TEST_OTHER_PATH") != "" {
		return
	}
	for _, c := range []struct{ env, run, want string }{
		{"SEAM_OFFLOAD=cgo", ".", "offload: cgo (SEAM_OFFLOAD=cgo in the environment)"},
		{"SEAM_OFFLOAD=quick", "^TestStatus$", `SEAM_OFFLOAD="quick" is not known (want auto or cgo); going on with auto`},
		{"SEAM_LEAF=cgo", ".", "offload: "}, // which submits calls
	} {
		if !t.Run(c.env, func(t *testing.T) {
			if strings.HasPrefix(c.env, "SEAM_LEAF") && testenv.Repeated() {
				t.Skip("how calls are submitted has been tested natively")
			}
			cmd := child.Self(t, "-test.run="+c.run, "-test.skip=^(TestFaults|TestHeader|TestWithoutCgo)$", "-test.v")
			cmd.Env = append(os.Environ(), "SEAM_TEST_OTHER_PATH=1", "SEAM_WANT_OFFLOAD=", c.env)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "no tests to run") {
				t.Errorf("with %s the tests ended with %v, want them to pass and to say %q:\n%s", c.env, err, c.want, out)
			}
		}) {
			break // if it hung, the others would take what is left of go test's ten minutes
		}
	}
}
