//go:build unix

//seam:test race

package main

import (
	"context"
	"os"
	"os/exec"
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

// Every package that a run names has code where the run's variables and tags are set.
func TestPackagesBuildWhereTheyAreTested(t *testing.T) {
	type build struct{ env, tags string }
	folders := map[build][]string{}
	for _, s := range stages {
		for _, c := range s.runs() {
			c.stage = s.name
			if !c.json || c.expand() != nil { // of which TestStages speaks
				continue
			}
			var b build
			var list []string
			for _, a := range c.args {
				switch {
				case strings.HasPrefix(a, "-tags="):
					b.tags = a
				case strings.HasPrefix(a, "./") && !strings.HasSuffix(a, "/..."): // which leaves out what has none
					list = append(list, a)
				}
			}
			var vars []string
			for _, v := range c.env {
				if strings.HasPrefix(v, "GO") || strings.HasPrefix(v, "CGO_ENABLED=") {
					vars = append(vars, v)
				}
			}
			b.env = strings.Join(vars, " ")
			folders[b] = append(folders[b], list...)
		}
	}
	for b, list := range folders {
		args := []string{"list", "-f", "{{.ImportPath}}"}
		if b.tags != "" {
			args = append(args, b.tags)
		}
		slices.Sort(list)
		cmd := exec.Command("go", append(args, slices.Compact(list)...)...)
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=1"), strings.Fields(b.env)...)
		if out, err := cmd.CombinedOutput(); err != nil && len(list) > 0 {
			t.Errorf("%s go list %s: %v\n%s", b.env, b.tags, err, out)
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
