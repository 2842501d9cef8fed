//go:build cgo && unix

package leaf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/leaf"
)

// The tests of this package must also pass where calls take the other paths.
// Escape analysis of the fallback is part of that: a request that left the
// stack could not tell that an argument on it has moved.
func TestOtherPaths(t *testing.T) {
	if os.Getenv("SEAM_TEST_OTHER_PATH") != "" {
		return
	}
	const again = "^(TestCall|TestFunc|TestCallReadsGoMemoryInPlace|TestArgumentsDoNotEscape|TestStatus|TestStackGrowth|TestStress|TestCallInsideCallback|TestCallOnForeignThreads)$"
	for _, c := range []struct{ env, want string }{
		{"SEAM_LEAF=cgo", "leaf: cgo (SEAM_LEAF=cgo in the environment)"},
		{"SEAM_GUARD=1", "guard on: budget 20µs, limit 10s"},
		{"SEAM_LEAF=cgo SEAM_GUARD=1", "leaf: cgo (SEAM_LEAF=cgo in the environment), guard on"},
	} {
		t.Run(c.env, func(t *testing.T) {
			if leaf.Status().Path != leaf.PathAssembly && !strings.Contains(c.want, "guard on: ") {
				t.Skip("this build has no other path: ", leaf.Status())
			}
			cmd := child.Self(t, "-test.run="+again, "-test.v")
			cmd.Env = append(os.Environ(), "SEAM_TEST_OTHER_PATH=1", "SEAM_WANT_LEAF=", "SEAM_GUARD_BUDGET=20us")
			cmd.Env = append(cmd.Env, strings.Fields(c.env)...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "no tests to run") {
				t.Errorf("with %s the tests ended with %v, want them to pass and to say %q:\n%s", c.env, err, c.want, out)
			}
		})
	}
}
