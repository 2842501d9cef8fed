//go:build linux && !android && cgo && (amd64 || arm64)

package unwind_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/unwind"
	"github.com/seamgo/seam/internal/unwind/ctest"
)

func TestMain(m *testing.M) {
	if err := unwind.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A walk from a handler finds each function of the chain, once and in order.
func TestWalk(t *testing.T) {
	for i, chain := range ctest.Chains {
		want := []string{"ctest_walk", "ctest_1"}
		if chain == "ctest_20" {
			for n := 2; n < 20; n++ {
				want = append(want, fmt.Sprintf("ctest_%d", n))
			}
		} else {
			want = append(want, "ctest_2")
		}
		switch chain {
		case "ctest_sorted":
			want = append(want, "ctest_compare")
		case "ctest_handler":
			want = append(want, "ctest_on_signal")
		}
		want = append(want, chain, "ctest_chain")
		names := ctest.Walk(i)
		ours := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, "ctest_") })
		if !slices.Equal(ours, want) {
			t.Errorf("%s:\n got %q\nwant %q", chain, names, want)
		}
	}
}

// What watches and SIGQUIT's list find without tables is what the tables say, and what they don't know they mark.
func TestFrames(t *testing.T) {
	for i, chain := range ctest.Chains {
		want := ctest.Walk(i)
		want[slices.Index(want, "ctest_walk")] = "ctest_frames_walk"
		for _, blind := range []bool{false, true} {
			got, sure := ctest.Frames(i, blind)
			if sure == 0 || !slices.Equal(got[:min(sure, len(want))], want[:min(sure, len(want))]) {
				t.Errorf("%s, blind %v: %d sure of\n     %q\nwant %q", chain, blind, sure, got, want)
			}
			if chain == "ctest_handler" { // the walk ends with the handler's stack
				continue
			}
			if at := slices.Index(want, "ctest_chain"); !blind && sure < min(at+1, 13) {
				t.Errorf("%s: of %d frames %d are guesses: %q", chain, len(got), len(got)-sure, got)
			}
		}
	}
}

// Wherever a signal comes, the walk gets to the caller.
func TestEverywhere(t *testing.T) {
	for i, chain := range ctest.Chains {
		walks, whole, truncated, ns := ctest.Each(i, 50)
		t.Logf("%s: %d walks, %d whole, %d truncated, %.0f ns a walk", chain, walks, whole, truncated, ns)
		if walks == 0 || whole < walks*95/100 || truncated > walks*5/100 {
			t.Errorf("%s: of %d walks %d came to the caller, and %d know no further", chain, walks, whole, truncated)
		}
	}
}

// Of a stack with more functions than there is room for the innermost are there, and the callers:
// recursion is folded, and what has no order is left out in between.
func TestDeepWalk(t *testing.T) {
	inner, outer := []string{"ctest_walk", "ctest_walk_32", "ctest_1", "ctest_2"}, "ctest_recurse"
	for _, c := range []struct {
		way, deep int
		want      []string // in between; nil: whatever
	}{
		{0, 5, []string{"ctest_self", "ctest_self", "ctest_self", "ctest_self", "ctest_self", "ctest_self"}},
		{0, 40, []string{"ctest_self", "ctest_self", "[recursion]"}}, // the innermost has called another
		{0, 20000, []string{"ctest_self", "ctest_self", "[recursion]"}},
		{1, 4000, []string{"ctest_even", "ctest_odd", "ctest_even", "[recursion]"}},
		{1, 4001, []string{"ctest_odd", "ctest_even", "ctest_odd", "[recursion]", "ctest_even"}},
		{2, 4000, nil},
	} {
		names := ctest.WalkRecursion(c.way, c.deep)
		ours := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
			return !strings.HasPrefix(n, "ctest_") && n[0] != '[' || strings.HasPrefix(n, "[libc")
		})
		n := len(ours)
		if n < len(inner)+1 || !slices.Equal(ours[:len(inner)], inner) || ours[n-1] != outer || len(names) > 32 {
			t.Errorf("%d, %d deep: %q", c.way, c.deep, names)
			continue
		}
		between := ours[len(inner) : n-1]
		if c.want != nil && !slices.Equal(between, c.want) || c.want == nil && !slices.Contains(between, "[left out]") {
			t.Errorf("%d, %d deep:\n got %q\nwant %q", c.way, c.deep, between, c.want)
		}
	}
}
