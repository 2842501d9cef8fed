//go:build unix

//seam:test race

package main

import (
	"context"
	"os"
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

// Every folder that the list names is there, and somebody declares every need.
func TestStages(t *testing.T) {
	for _, s := range stages {
		for _, c := range s.runs() {
			c.stage = s.name
			if err := c.expand(); err != nil {
				t.Error(err)
			}
			if c.json && c.packages == 0 {
				t.Errorf("stage %s: %s tests nothing", s.name, c)
			}
		}
	}
}

func TestFolderThatIsGone(t *testing.T) {
	for _, args := range []string{"./leaf ./gone", "./gone/...", "need:gone"} {
		err := test(nil, args).expand()
		if err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func shell(script string) *command { return &command{args: []string{"sh", "-c", script}} }

func TestFailureStopsNothing(t *testing.T) {
	runs := []*command{shell("exit 3"), shell("echo here")}
	err := sideBySide(t.Context(), t.Output(), runs, 1)
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
	err := sideBySide(ctx, t.Output(), []*command{{args: []string{"sleep", "600"}}, shell("exit 0")}, 1)
	if err == nil || err.Error() != "interrupted" {
		t.Error(err)
	}
}
