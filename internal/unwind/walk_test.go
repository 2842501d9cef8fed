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
