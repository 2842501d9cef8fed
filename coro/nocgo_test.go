package coro_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Without cgo there is no C to call: using it is an error at compile time that
// says what to do.
func TestWithoutCgo(t *testing.T) {
	cmd := exec.Command("go", "build", "-o", os.DevNull, "./testdata/nocgo")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatal("a program that calls C compiles with CGO_ENABLED=0")
	}
	for _, line := range []string{"main.go:16", "main.go:17", "main.go:18"} {
		if !strings.Contains(string(out), line) {
			t.Errorf("no error at %s:\n%s", line, out)
		}
	}
	if n := strings.Count(string(out), "CGO_ENABLED_is_0_so_there_is_no_C_to_call"); n < 3 {
		t.Errorf("the reason is told %d times, want it at each of these lines:\n%s", n, out)
	}
}
