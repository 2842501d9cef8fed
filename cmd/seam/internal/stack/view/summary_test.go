package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func TestSummaryCountsWhatItShows(t *testing.T) {
	f := large()
	f.Overflows = nil
	f.Sites[1], f.Sites[3] = f.Sites[3], f.Sites[1]
	f.Sites[1].Time = 5_000_000 // the runtime's own is second now, and isn't shown
	f.Processes[0].CPU /= 10    // much to gain: three are shown
	got := summaryOf(t, f, TextOptions{})
	for _, want := range []string{"\n1. 11.7 ms", "\n2. 2.10 ms", "\n3. 1.31 ms"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestSummaryKeepsLineNumbers(t *testing.T) {
	f := large()
	deep := "/very/deep/" + strings.Repeat("folder/", 20) + "file.go"
	for i := range 3 {
		f.Sites[i].Caller.File, f.Sites[i].Caller.Line = deep, 4711+i
	}
	f.Overflows[0].Caller.File = deep
	for _, width := range []int{60, 80, 100} {
		got := summaryOf(t, f, TextOptions{Options: text.Options{Width: width}})
		for _, want := range []string{".go:4711\n", ".go:4712\n", fmt.Sprintf(".go:%d\n", f.Overflows[0].Caller.Line)} {
			if !strings.Contains(got, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, got)
			}
		}
	}
}

func TestSummarySaysThatThereIsLittleToGain(t *testing.T) {
	f := large()
	if got := summaryOf(t, f, TextOptions{}); !strings.Contains(got, "little to gain") {
		t.Errorf("growths took %s of CPU time:\n%s", percent(f.Growth.Time, sum(f).cpu), got)
	}
	f.Processes[0].CPU /= 10
	if got := summaryOf(t, f, TextOptions{}); strings.Contains(got, "little to gain") {
		t.Errorf("growths took %s of CPU time:\n%s", percent(f.Growth.Time, sum(f).cpu), got)
	}
}

func TestReportsWithoutACommandHaveATitle(t *testing.T) {
	for _, c := range []struct {
		f    report.File
		want string
	}{
		{report.File{Header: report.Header{Command: []string{"go", "run", "."}}, Log: report.Log{Name: "x.log"}}, "seam stack trace -- go run .\n"},
		{report.File{Processes: []report.Process{{Program: "/tmp/prog"}}, Log: report.Log{Name: "x.log"}}, "seam stack trace of /tmp/prog\n"},
		{report.File{Processes: []report.Process{{}}, Log: report.Log{Name: "x.log"}}, "seam stack trace of x.log\n"},
		{report.File{}, "seam stack trace\n"},
	} {
		if got := textOf(t, &c.f, TextOptions{}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", strings.SplitN(got, "\n", 2)[0], c.want)
		}
	}
}

func TestFunctionsWithoutNamesAreWarnedOf(t *testing.T) {
	const hint = "--read LOG PROGRAM"
	f := &report.File{Sites: []report.Site{{Callee: place("0x47a1c3", "", 0), Caller: place("0x47a1ff", "", 0)}}}
	if got := strings.Join(warnings(f), "\n"); !strings.Contains(got, hint) {
		t.Errorf("addresses only, and no hint: %q", got)
	}
	f.Sites[0].Callee.Func, f.Sites[0].Caller.Func = "main.f", "main.g"
	if got := strings.Join(warnings(f), "\n"); strings.Contains(got, hint) {
		t.Errorf("functions have names: %q", got)
	}
}

// Sizes that occur have colours as far apart as there are, and each drawn one a swatch.
func TestShadesAreSpread(t *testing.T) {
	tree := func(sizes ...int64) *report.File {
		f := &report.File{Tree: []*report.Node{{Entry: &report.Entry{}}}, Growth: totalsOf(9, 9, 9, 9)}
		for _, n := range sizes {
			f.Tree[0].Children = append(f.Tree[0].Children, &report.Node{From: n / 2, To: n, Totals: totalsOf(1, 1, 1, 1)})
		}
		return f
	}
	for _, c := range []struct {
		f    *report.File
		want string
	}{
		{tree(4*kb, 8*kb, 16*kb, 32*kb), "[{box g0 to 4 KB} {box g3 to 8 KB} {box g6 to 16 KB} {box g9 to 32 KB}]"},
		{tree(8 * kb), "[{box g5 to 8 KB}]"},
		{tree(4*kb, 8*kb, 4*kb), "[{box g0 to 4 KB} {box g9 to 8 KB}]"},
		{tree(), "[]"},
	} {
		got := []string{}
		for _, x := range legend(c.f) {
			got = append(got, "{"+x.Key.Shapes[0].Class+" "+x.Label+"}")
		}
		if got := fmt.Sprint(got); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	var all []int64
	for n := int64(4 * kb); n <= 512<<20; n *= 2 {
		all = append(all, n)
	}
	if got := legend(tree(all...)); len(got) != shades || !strings.Contains(got[len(got)-1].Label, "512 MB") {
		t.Errorf("%d sizes: %v", len(all), got)
	}
}

// On a phone, too, the names of the timeline's panels are whole.
func TestTimelineNamesFit(t *testing.T) {
	f := large()
	for i := range f.Timeline.Spans {
		f.Timeline.Spans[i].New = 1 + int64(i%7)*1000
	}
	for _, s := range chart.Draw(timeline(&f.Timeline), pictureWidth) {
		names := 0
		for _, sh := range s.Shapes {
			if sh.Class != "name" {
				continue
			}
			names++
			if strings.Contains(sh.String, "…") {
				t.Errorf("%s: %q is cut", s.Class, sh.String)
			}
		}
		if names < len(panels)-1 {
			t.Errorf("%s: %d names", s.Class, names)
		}
	}
}
