package switches

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// run builds an experiment from medians by kind and working set; every
// interval is ±1 ns.
func run(medians map[string]float64) *result.Experiment {
	e := &result.Experiment{}
	for n, m := range medians {
		e.Series = append(e.Series, result.Series{Name: n, Unit: "ns/op", Median: m, Lo: m - 1, Hi: m + 1})
	}
	return e
}

func TestBreakDown(t *testing.T) {
	e := run(map[string]float64{
		name("none", 0): 2, name("none", 65536): 400,
		name("goroutine", 0): 102, name("goroutine", 65536): 560,
	})
	explain(e)
	var k kind
	for _, k = range kinds {
		if k.name == "goroutine" {
			break
		}
	}
	c, ok := breakDown(e, k, 65536)
	if !ok || c.direct != 100 || c.indirect != 60 || c.touching != 400 {
		t.Errorf("got %+v %v, want direct 100, indirect 60, touching 400", c, ok)
	}
	if len(e.Charts) != 2 || e.Charts[0].Kind != result.Bars || e.Charts[1].Kind != result.Stacked {
		t.Fatalf("got charts %+v, want bars and one stack", e.Charts)
	}
	parts := e.Charts[1].Stacks[0].Parts
	if len(parts) != 3 || parts[0].Value != 100 || parts[1].Value != 60 || parts[2].Value != 400 {
		t.Errorf("stack has parts %+v", parts)
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	empty := &result.Experiment{}
	explain(empty)
	labtest.SaysNothing(t, empty)
	// Each kind missing in turn, and each kind alone.
	for _, missing := range kinds {
		without, alone := map[string]float64{}, map[string]float64{}
		for _, k := range kinds {
			for _, ws := range sizes {
				if k.name == missing.name {
					alone[name(k.name, ws)] = 100
				} else {
					without[name(k.name, ws)] = 100
				}
			}
		}
		explain(run(without))
		explain(run(alone))
	}
	notMeasured := &result.Experiment{Series: []result.Series{{Name: name("process", 0), Unit: "ns/op", NotMeasured: "no permission"}}}
	explain(notMeasured)
	if len(notMeasured.Charts) != 0 {
		t.Error("a chart of what was not measured")
	}
}
