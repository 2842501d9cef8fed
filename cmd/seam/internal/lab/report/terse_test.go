package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func TestTerseIsTenLines(t *testing.T) {
	run := fullRun()
	run.Machine.Load, run.Interrupted = 0, false
	for i := range 12 {
		s := series(fmt.Sprintf("H/%d", i), "ns/op", "label", "", float64(10+i), nil)
		e := &run.Experiments[0]
		e.Series = append(e.Series, s)
		e.Headlines = append(e.Headlines, result.Headline{Name: s.Name, Unit: s.Unit, Words: fmt.Sprintf("headline %d", i)})
	}
	for name, r := range map[string]*result.Run{"with headlines": run, "without": smallRun(), "empty": {}} {
		var b bytes.Buffer
		if err := WriteTerse(&b, r, text.Options{Width: 80}); err != nil {
			t.Fatal(err)
		}
		table, _, _ := strings.Cut(b.String(), "! ")
		if n := strings.Count(table, "\n"); n > 10 || n < 3 && name != "empty" {
			t.Errorf("%s: %d lines:\n%s", name, n, b.String())
		}
		if got := strings.Contains(b.String(), "headline 0 "); got != (name == "with headlines") {
			t.Errorf("%s:\n%s", name, b.String())
		}
	}
}

// One line, not a table of rows without figures for each experiment.
func TestInterruptedNamesWhatIsMissing(t *testing.T) {
	run := fullRun()
	run.Interrupted = true
	gone := result.Experiment{Name: "gone", Title: "What was not begun?", Series: []result.Series{{Name: "G", NotMeasured: "interrupted"}}}
	run.Experiments = append(run.Experiments, gone)
	for _, out := range []string{terminal(t, run, TextOptions{}), render(t, run)} {
		if !strings.Contains(out, "Not measured, since the run was interrupted: gone.") || strings.Contains(out, "What was not begun?") {
			t.Error("the run does not say what is missing in one line")
		}
	}
}

// The numbers of a sentence are in the table beside it.
func TestFurtherComparisonsAreShown(t *testing.T) {
	run := smallRun()
	e := &run.Experiments[0]
	a, b := e.Series[0].Name, e.Series[1].Name
	e.Comparisons = append(e.Comparisons, result.Comparison{Name: a, Base: b, Unit: "ns/op", Ratio: 0.1234, Lo: 0.12, Hi: 0.126, Blocks: 9, Verdict: "faster", Further: true})
	for _, out := range []string{terminal(t, run, TextOptions{}), render(t, run)} {
		if !strings.Contains(out, "0.123") || !strings.Contains(out, "0.126") {
			t.Error("a comparison is missing")
		}
	}
}
