package experiment

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/published"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// A recorded run of all experiments has something to say to each claim that a quick run
// measures.
func TestClaimsAreMeasured(t *testing.T) {
	run := recorded(t)
	all := &result.Run{}
	for _, e := range Experiments {
		if len(e.Cases(lab.Quick)) == 0 {
			continue
		}
		found, err := lab.Replay(e, lab.Quick, find(run, e.Name), 1)
		if err != nil {
			t.Fatal(err)
		}
		all.Experiments = append(all.Experiments, *found)
	}
	missing := map[string]bool{ // --quick leaves out these sizes
		"read, copy and write 8 KB, sync.Pool": true, "read, copy and write 8 KB, on the stack": true,
		"read, copy and write 32 KB, sync.Pool": true, "read, copy and write 32 KB, on the stack": true,
	}
	for _, r := range published.Rows(all) {
		if (r.Verdict == published.NotMeasured) != missing[r.Said] {
			t.Errorf("%s: %s, %s", r.Said, r.Here, r.Verdict)
		}
		t.Log(r.Cells())
	}
}
