//go:build linux

//seam:test native

package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/ring"
)

// The service outlives engines that crash, hang or are killed.
func TestEngine(t *testing.T) {
	testenv.Builds(t)
	testenv.Tool(t, "c++")
	path, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	engine := &Engine{path: path}
	works := func(want string) {
		t.Helper()
		if answer, err := engine.Ask(t.Context(), want); err != nil || answer != strings.ToUpper(want) {
			t.Errorf("%q, %v", answer, err)
		}
	}
	works("one")
	works("two")
	if engine.Started != 1 {
		t.Errorf("%d engines for two questions", engine.Started)
	}
	if _, err := engine.Ask(t.Context(), "crash"); !errors.Is(err, ring.ErrGone) || !strings.Contains(err.Error(), "abort") {
		t.Errorf("a crash: %v", err)
	}
	works("three")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := engine.Ask(ctx, "hang"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it hangs: %v", err)
	}
	works("four")
	if err := engine.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Ask(t.Context(), "five"); !errors.Is(err, ring.ErrGone) {
		t.Errorf("it was killed: %v", err)
	}
	works("six")
	if engine.Started != 4 {
		t.Errorf("%d engines, want 4", engine.Started)
	}
	if err := engine.Close(); err != nil {
		t.Errorf("the last engine: %v", err)
	}
}

func TestRun(t *testing.T) {
	testenv.Builds(t)
	testenv.Tool(t, "c++")
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"engine 1: HELLO\n", "no answer: \"crash\": ring: the other end is gone", "engine 2: ARE YOU THERE?\n", "engine 3: AND NOW?\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
