package reference

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func TestSourcesCanBeCited(t *testing.T) {
	numbers := map[int]bool{}
	for _, s := range []*result.Source{CgoCost, Coroutines, ErrorPaths, StackBuffers, MixedCalls} {
		if s.Number == 0 || numbers[s.Number] || s.Title == "" || s.Year == "" {
			t.Errorf("source %+v needs a number of its own, a title and a year", s)
		}
		numbers[s.Number] = true
	}
	if got, want := CgoCost.Cite(), "“CGO 和 CGO 性能之谜”, 2020 (Go 1.14, 2019 MacBook Pro, i7 2.6 GHz)"; got != want {
		t.Errorf("cited as %s, want %s", got, want)
	}
}

// A figure says on what it was measured, and goes beside the series of its own unit only.
func TestAttach(t *testing.T) {
	e := &result.Experiment{Series: []result.Series{{Name: "x", Unit: "B/unit"}, {Name: "x", Unit: "ns/op"}}}
	CgoCall.Attach(e, "x")
	CgoCall.Attach(e, "y") // not measured
	if e.Series[0].Reference != nil {
		t.Error("attached to bytes")
	}
	want := result.Reference{Value: 55.9, Source: 1, Note: "2020, Go 1.14, 2019 MacBook Pro, i7 2.6 GHz; an empty function"}
	if got := e.Series[1].Reference; got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
