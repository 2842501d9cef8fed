package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
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
		golden(t, fmt.Sprintf("full-%d.txt", width), []byte(terminal(t, fullRun(), TextOptions{Width: width})))
	}
}

func TestTextKeepsToItsWidth(t *testing.T) {
	for _, o := range []TextOptions{{Width: 60}, {Width: 80}, {Width: 80, Colour: true}, {Width: 120, Verbose: true}} {
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
	out := terminal(t, hostileRun(), TextOptions{Colour: true})
	if s := sgr.ReplaceAllString(out, ""); strings.ContainsAny(s, "\x1b\a\u202e") {
		t.Error("control characters of the run reach the terminal")
	}
}

func TestVerboseTextSaysMore(t *testing.T) {
	brief, long := terminal(t, fullRun(), TextOptions{}), terminal(t, fullRun(), TextOptions{Verbose: true})
	for _, want := range []string{"takes the price of a cgo call apart", "article 1: MacBook Pro 2019", "C through leaf, n=10, nofold"} {
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
