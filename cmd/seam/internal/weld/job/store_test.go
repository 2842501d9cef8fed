package job

import (
	"slices"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
)

func leavesOf(t *testing.T, text string) *rewrite.Leaves {
	t.Helper()
	p, err := plan.Parse("seam.plan", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &rewrite.Leaves{Plan: p}
}

// A report is found again in the same build, and in another where nothing else is known; not
// for another plan of the package.
func TestStore(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	l := leavesOf(t, "leaf example.com/a.f\n")
	a, b := Store{Build: "go1.26"}, Store{Build: "go1.27"}
	if r, ok := a.Get(l, "example.com/a"); ok {
		t.Errorf("an empty store has %+v", r)
	}
	for _, put := range []struct {
		store Store
		done  string
	}{{a, "f"}, {b, "g"}} {
		if err := put.store.Add(l, Report{Package: "example.com/a", Done: []string{put.done}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		store Store
		done  string
	}{{a, "f"}, {b, "g"}, {Store{Build: "go1.25"}, "g"}} {
		if r, ok := c.store.Get(l, "example.com/a"); !ok || !slices.Equal(r.Done, []string{c.done}) {
			t.Errorf("%s: %+v, %v; want %s", c.store.Build, r, ok, c.done)
		}
	}
	other := leavesOf(t, "leaf example.com/a.f\nleaf example.com/a.g\n")
	if r, ok := a.Get(other, "example.com/a"); ok {
		t.Errorf("with another plan there is %+v", r)
	}
	if r, ok := a.Get(l, "example.com/b"); ok {
		t.Errorf("another package has %+v", r)
	}
	// Without a folder for caches it only knows less.
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if err := a.Add(l, Report{Package: "example.com/a"}); err != nil {
		t.Error(err)
	}
	if _, ok := a.Get(l, "example.com/a"); ok {
		t.Error("a report was found in no folder")
	}
}
