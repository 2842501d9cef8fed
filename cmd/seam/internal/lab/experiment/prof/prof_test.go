package prof

import (
	"math"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func init() { progcache.Patient = true }

func TestNamesAreFixed(t *testing.T) {
	var got []string
	for _, c := range cases(lab.Full) {
		if c.Base != (strings.HasSuffix(c.Name, "/via=pprof") || strings.HasSuffix(c.Name, "/hz=0")) {
			t.Errorf("%s: base is %v", c.Name, c.Base)
		}
		got = append(got, strings.TrimPrefix(c.Name, "Prof/what="))
	}
	const want = "sample/frames=5/via=pprof sample/frames=5/via=seam sample/frames=5/via=bare sample/frames=5/via=gperftools " +
		"sample/frames=20/via=pprof sample/frames=20/via=seam sample/frames=20/via=bare sample/frames=20/via=gperftools " +
		"sample/frames=60/via=pprof sample/frames=60/via=seam sample/frames=60/via=bare sample/frames=60/via=gperftools " +
		"work/via=seam/hz=0 work/via=seam/hz=100 work/via=seam/hz=1000 work/via=pprof/hz=0 work/via=pprof/hz=100 work/via=pprof/hz=1000 " +
		"work/via=gperftools/hz=0 work/via=gperftools/hz=100 work/via=gperftools/hz=1000 work/via=perf/hz=0 work/via=perf/hz=100 work/via=perf/hz=1000 " +
		"rate/via=seam/hz=100 rate/via=seam/hz=1000"
	if strings.Join(got, " ") != want {
		t.Errorf("cases are %q", got)
	}
	if n := len(cases(lab.Quick)); n != len(depths)*len(samplers) {
		t.Errorf("%d cases in a quick run", n)
	}
}

// What is said and drawn of a run holds, and where nothing was measured, nothing is said.
func TestExplain(t *testing.T) {
	run := &result.Experiment{Name: Experiment.Name, Rounds: 4}
	none := &result.Experiment{Name: Experiment.Name, Rounds: 1}
	for i, c := range cases(lab.Full) {
		unit := unitTime
		if c.Probe != nil {
			unit = unitRate
		}
		none.Series = append(none.Series, result.Series{Name: c.Name, Unit: unit, NotMeasured: "no"})
		for _, control := range []string{"", "#control"} {
			if control != "" && !c.Base {
				continue
			}
			s := result.Series{Name: c.Name + control, Unit: unit}
			for k := range 40 {
				v := 1000 * math.Pow(1.1, float64(i%3)) * (1 + 0.001*float64((k*7+i)%5))
				s.Samples = append(s.Samples, result.Sample{Round: k / 10, Block: k % 10, N: 1000, Value: v})
			}
			run.Series = append(run.Series, s)
		}
	}
	found, err := lab.Replay(Experiment, lab.Full, run, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Findings) != len(depths)+len(rates) || len(found.Charts) != len(depths) {
		t.Errorf("%d findings, %d charts", len(found.Findings), len(found.Charts))
	}
	for _, fault := range labtest.Untrue(found) {
		t.Error(fault)
	}
	nothing, err := lab.Replay(Experiment, lab.Full, none, 1)
	if err != nil || len(nothing.Findings)+len(nothing.Charts) > 0 {
		t.Errorf("of nothing is said %q, %v", nothing.Findings, err)
	}
}
