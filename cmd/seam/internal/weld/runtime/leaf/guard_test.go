//go:build linux && (amd64 || arm64)

//seam:test native

package leaf_test

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
)

// guardOn runs the guard on a made machine, on which loops threads want two processors.
func guardOn(t *testing.T, exe, what string, number, loops, programs int) []int {
	t.Helper()
	out, err := exec.Command(exe, what, strconv.Itoa(number), strconv.Itoa(loops), strconv.Itoa(programs)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var figures []int
	for _, word := range strings.Fields(string(out)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("%s: %q", what, out)
		}
		figures = append(figures, n)
	}
	return figures
}

// A function that keeps its budget is demoted in hardly any program, whatever else the
// machine does; one that waits soon is.
func TestGuardTellsFunctionFromMachine(t *testing.T) {
	t.Parallel()
	exe := recordingtest.Program(t, leaf.C(), "testdata/guard.c")
	for loops := range 5 {
		for _, usual := range []int{50, 1000, 10_000, 15_000} {
			const programs = 100
			demoted := guardOn(t, exe, "healthy", usual, loops, programs)[0]
			t.Logf("beside %d loops, %d ns: %d of %d programs demote it", loops, usual, demoted, programs)
			// Three in a hundred are demoted where the budget is near and the machine is full; a guard
			// that takes the machine for the function demotes most.
			if demoted > programs*10/100 {
				t.Errorf("beside %d loops a function of %d ns is demoted in %d of %d programs", loops, usual, demoted, programs)
			}
		}
		// Of a call with many callbacks nearly each meets a stall, and one that works for
		// some time before its first has a late stretch each time.
		for _, usual := range []int{50, 1000} {
			for _, what := range []string{"visits", "begins"} {
				const programs = 10
				if demoted := guardOn(t, exe, what, usual, loops, programs)[0]; demoted > 0 {
					t.Errorf("%s: beside %d loops a function that runs %d ns between callbacks is demoted in %d of %d programs", what, loops, usual, demoted, programs)
				}
			}
		}
		// The clock is not read twice for each callback.
		for _, callbacks := range []int{0, 10, 10_000} {
			const control = 430 // 10 us of readings
			got, most := guardOn(t, exe, "reads", callbacks, loops, 1)[0], control+2*min(callbacks+1, 256+callbacks/32)
			t.Logf("%d callbacks: the clock is read %d times", callbacks, got)
			if got > most {
				t.Errorf("for a call with %d callbacks the clock is read %d times, want at most %d", callbacks, got, most)
			}
		}
		for _, c := range []struct {
			what        string
			share, most int // most calls until it is demoted
		}{
			{"waits", 1000, 5}, {"waits", 500, 40}, {"waits", 100, 400}, {"waits", 50, 2000}, {"waits", 20, 1_000_000},
			{"sleeps", 1000, 5}, {"sleeps", 50, 40},
			{"turns", 1000, 400}, {"turns", 100, 30_000},
		} {
			name := fmt.Sprintf("beside %d loops a function that %s in %d of 1000 calls", loops, c.what, c.share)
			got := guardOn(t, exe, c.what, c.share, loops, 20)
			t.Logf("%s is demoted after %d calls, at most %d", name, got[1], got[2])
			if got[0] > 0 {
				t.Errorf("%s is never demoted in %d of 20 programs", name, got[0])
			} else if got[2] > c.most {
				t.Errorf("%s is demoted after up to %d calls, want %d", name, got[2], c.most)
			}
		}
	}
}
