// Package labtest holds what the tests of several experiments need.
package labtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Measured ends the test where the machine can't measure the case.
func Measured(t *testing.T, err error) {
	t.Helper()
	var nm *lab.NotMeasured
	if errors.As(err, &nm) {
		if nm.Reason == "" {
			t.Error("not measured without a reason")
		}
		t.Skip(nm.Reason)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// NoMoreThan fails where more is left than before. A joined thread or a closed
// descriptor may be listed a moment longer.
func NoMoreThan(t *testing.T, before Left) {
	t.Helper()
	end := time.Now().Add(5 * time.Second)
	for {
		after := Leftovers(t)
		if after == before {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %+v, before: %+v", after, before)
		}
		time.Sleep(time.Millisecond)
	}
}

// NoMoreGoroutines fails where there are more than before. One that has ended is counted
// a moment longer.
func NoMoreGoroutines(t *testing.T, before int, within time.Duration) {
	t.Helper()
	for end := time.Now().Add(within); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines at the end, %d at the start", runtime.NumGoroutine(), before)
		}
	}
}

// InOwnCache runs the tests with an empty cache of programs, and with the go command's own
// as it is.
func InOwnCache(m *testing.M) int {
	if env, err := gotool.ReadEnv(context.Background(), "go", ""); err == nil {
		os.Setenv("GOCACHE", env.GOCACHE)
	}
	dir, err := os.MkdirTemp("", "seam-lab-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_CACHE_HOME", dir)
	return m.Run()
}
