package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func terminal(t *testing.T, run *result.Run, o TextOptions) string {
	t.Helper()
	var buf bytes.Buffer
	if err := WriteText(&buf, run, o); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestTextGolden(t *testing.T) {
	for _, width := range []int{80, 120} {
		golden(t, fmt.Sprintf("full-%d.txt", width), []byte(terminal(t, fullRun(), TextOptions{Options: text.Options{Width: width}})))
	}
}

func TestTextKeepsToItsWidth(t *testing.T) {
	for _, o := range []TextOptions{{Options: text.Options{Width: 60}}, {Options: text.Options{Width: 80}}, {Options: text.Options{Width: 80, Colour: true}}, {Options: text.Options{Width: 120}, Verbose: true}} {
		for _, l := range strings.Split(terminal(t, fullRun(), o), "\n") {
			if w := lipgloss.Width(l); w > o.Width {
				t.Errorf("%+v: line of %d columns: %s", o, w, l)
			}
		}
	}
}

func TestPlainTextIsASCII(t *testing.T) {
	for _, r := range terminal(t, fullRun(), TextOptions{Verbose: true}) {
		if r > 0x7e || r < ' ' && r != '\n' {
			t.Fatalf("plain text contains %q", r)
		}
	}
}

func TestTextDoesNotDriveTheTerminal(t *testing.T) {
	sgr := regexp.MustCompile(`\x1b\[[\d;]*m`) // colours, which are ours
	out := terminal(t, hostileRun(), TextOptions{Options: text.Options{Colour: true}})
	if s := sgr.ReplaceAllString(out, ""); strings.ContainsAny(s, "\x1b\a\u202e") {
		t.Error("control characters of the run reach the terminal")
	}
}

func TestVerboseTextSaysMore(t *testing.T) {
	brief, long := terminal(t, fullRun(), TextOptions{}), terminal(t, fullRun(), TextOptions{Verbose: true})
	for _, want := range []string{"takes the price of a cgo call apart", "published 0.29 ns: MacBook Pro 2019", "C through leaf, n=10, nofold"} {
		want = strings.Fields(want)[0]
		if strings.Count(long, want) <= strings.Count(brief, want) {
			t.Errorf("verbose text says %q no more often", want)
		}
	}
}

func TestTextOfAnEmptyRun(t *testing.T) {
	if out := terminal(t, &result.Run{}, TextOptions{}); !strings.Contains(out, "Nothing was measured.") {
		t.Errorf("got %q", out)
	}
}

func TestBaseIsNamedWithoutComparisons(t *testing.T) {
	base := result.Series{Name: "a", Unit: "ns/op", Group: "g", Median: 1, Lo: 1, Hi: 1}
	missing := result.Series{Name: "b", Unit: "ns/op", Group: "g", NotMeasured: "no cgo"}
	control := []result.Comparison{{Name: "a", Base: "a#control", Unit: "ns/op", Ratio: 1}}
	e := &result.Experiment{Series: []result.Series{base, missing}, Controls: control}
	if all := rows(e); !all[0].Base || all[1].Base {
		t.Errorf("rows %+v, want the first as base", all)
	}
	e = &result.Experiment{Series: []result.Series{base}, Controls: control}
	if rows(e)[0].Base {
		t.Error("what is alone in its group is called a base")
	}
}

func TestCountsAreWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		median, lo, hi float64
		want, between  string
	}{
		{16, 16, 16, "16", ""},
		{100000, 100000, 100000, "100,000", ""},
		{16, 15, 18, "16.0", "15.0–18.0"},
	} {
		e := &result.Experiment{Series: []result.Series{{Name: "a", Unit: "count", Median: c.median, Lo: c.lo, Hi: c.hi}}}
		if r := rows(e)[0]; r.Median != c.want || r.Interval != c.between {
			t.Errorf("%v (%v to %v) reads %q %q, want %q %q", c.median, c.lo, c.hi,
				r.Median, r.Interval, c.want, c.between)
		}
	}
}

func TestWarnings(t *testing.T) {
	run := smallRun()
	run.Guard = "budget 10µs, limit 1s"
	if out := terminal(t, run, TextOptions{}); !strings.Contains(out, "! Leaf's guard was on (budget 10us, limit 1s)") {
		t.Errorf("the text does not warn of the guard:\n%s", out[:400])
	}
	if !strings.Contains(render(t, run), "guard was on") {
		t.Error("the page does not warn of the guard")
	}
}

func TestUnfinished(t *testing.T) {
	measured := []result.Series{{Name: "a", Unit: "ns/op"}}
	for _, c := range []struct {
		finished int
		series   []result.Series
		want     string
	}{
		{5, measured, ""},
		{2, measured, "2 of 5 processes finished."},
		{0, measured, "0 of 5 processes finished."},
		{0, []result.Series{{Name: "a", NotMeasured: "interrupted"}}, ""}, // the row says it
	} {
		if got := unfinished(&result.Run{Rounds: 5}, &result.Experiment{Rounds: c.finished, Series: c.series}); got != c.want {
			t.Errorf("%d finished: %q, want %q", c.finished, got, c.want)
		}
	}
}

// A figure that only one process gave has no interval: "±0.0%" would say that
// it is exact.
func TestOneValueHasNoInterval(t *testing.T) {
	e := result.Experiment{Name: "spawn", Series: []result.Series{{
		Name: "Spawn/kind=goroutine", Unit: "B/unit", Label: "parked goroutine", Median: 2700, Lo: 2700, Hi: 2700,
		Samples: []result.Sample{{N: 1, Value: 2700}},
	}}}
	var b strings.Builder
	if err := WriteText(&b, &result.Run{Experiments: []result.Experiment{e}}, TextOptions{Options: text.Options{Width: 80}}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "2.64 KiB") || strings.Contains(text, "0.0%") {
		t.Errorf("the table is\n%s", text)
	}
}
