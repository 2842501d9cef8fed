//go:build unix

package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil { // the list names folders from the root
		panic(err)
	}
	os.Exit(m.Run())
}

// Every folder that the list names is there, and what is left out was in.
func TestStages(t *testing.T) {
	for _, s := range stages {
		for _, c := range s.runs() {
			before := strings.Fields(strings.Join(c.args, " "))
			if err := c.expand(t.Context()); err != nil {
				t.Error(err)
			}
			for _, a := range c.args {
				if strings.HasPrefix(a, "!") {
					t.Errorf("stage %s: %s is left in the arguments %q", s.name, a, before)
				}
			}
		}
	}
}

func TestFolderThatIsGone(t *testing.T) {
	for _, args := range []string{"./leaf ./gone", "./leaf/... !./gone", "./gone/..."} {
		err := test(nil, args).expand(t.Context())
		if err == nil || !strings.Contains(err.Error(), "./gone") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestLeavingOut(t *testing.T) {
	c := test(nil, "./leaf/... !./leaf/internal/...")
	if err := c.expand(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"go", "test", "-vet=off", "github.com/seamgo/seam/leaf"}; !slices.Equal(c.args, want) {
		t.Errorf("%q", c.args)
	}
}

func shell(script string) *command { return &command{args: []string{"sh", "-c", script}} }

func TestFailureStopsNothing(t *testing.T) {
	runs := []*command{shell("exit 3"), shell("echo here")}
	err := sideBySide(t.Context(), runs, 1)
	if err == nil || !strings.Contains(err.Error(), "1 of 2 runs failed") {
		t.Error(err)
	}
	if runs[1].wall == 0 || runs[1].err != nil {
		t.Error("the second was not run")
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	// A shell waits for its child before it heeds the signal.
	err := sideBySide(ctx, []*command{{args: []string{"sleep", "600"}}, shell("exit 0")}, 1)
	if err == nil || err.Error() != "interrupted" {
		t.Error(err)
	}
}
