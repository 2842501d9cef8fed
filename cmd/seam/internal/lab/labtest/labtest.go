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

// patience is how long what has ended may still be there, on a machine that others keep busy.
const patience = 150 * time.Second

// NoMoreThan fails where more is left than before. A joined thread or a closed
// descriptor may be listed a moment longer: now, and when before was counted.
func NoMoreThan(t *testing.T, before Left) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		after := Leftovers(t)
		if !after.exceeds(before) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %+v, before: %+v", after, before)
		}
	}
}

// NoMoreGoroutines fails where there are more than before. One that has ended is counted
// a moment longer.
func NoMoreGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
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
