package prof

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(labtest.InOwnCache(m)) }

// The program does all that is asked of it; profilers that aren't there are named.
func TestProgram(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	b := &lab.Bench{Mode: lab.Full}
	here := func(what, via string, err error) bool {
		var absent *lab.NotMeasured
		if (via == viaGperftools || via == viaPerf) && errors.As(err, &absent) {
			t.Logf("%s: %s", what, absent.Reason)
			return false
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return true
	}
	for _, via := range samplers {
		for _, frames := range depths {
			op, err := startSample(t.Context(), b, via, frames)
			if !here(sampleName(frames, via), via, err) {
				continue
			}
			if took := op.Time(2000); took < 100*time.Microsecond {
				t.Errorf("%s: 2000 took %v", sampleName(frames, via), took)
			}
			op.Close()
		}
	}
	for _, via := range loads {
		for _, hz := range rates {
			op, err := startWork(t.Context(), b, via, hz)
			if !here(workName(via, hz), via, err) {
				continue
			}
			if took := op.Time(100); took < 100*time.Microsecond {
				t.Errorf("%s: 100 took %v", workName(via, hz), took)
			}
			op.Close()
		}
	}
	found, err := probeRate(t.Context(), b, viaSeam, 1000)
	if err != nil || len(found) != 1 || found[0].Value <= 0 || found[0].Value > 1500 {
		t.Errorf("%+v, %v", found, err)
	}
	if len(clients) > 0 {
		t.Errorf("left open: %v", clients)
	}
	if _, err := startWork(t.Context(), b, "nothing", 100); err == nil {
		t.Error("what the program doesn't know was measured")
	}
}
