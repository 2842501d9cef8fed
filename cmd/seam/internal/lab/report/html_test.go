package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// golden compares got with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range g {
			if i >= len(w) || g[i] != w[i] {
				t.Fatalf("%s differs at line %d:\n got %s\n(go test -update rewrites it; look at the difference)", path, i+1, g[i])
			}
		}
		t.Fatalf("%s has %d lines, got %d", path, len(w), len(g))
	}
}

func render(t *testing.T, run *result.Run) string {
	t.Helper()
	var buf bytes.Buffer
	if err := WriteHTML(&buf, run); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// The golden page is without its style: half of that is all of the tool's pages'.
func TestHTMLGolden(t *testing.T) {
	_, body, _ := strings.Cut(render(t, smallRun()), "</style>")
	golden(t, "small.html", []byte(body))
}

// runs are pages that must hold in every respect.
var runs = map[string]func() *result.Run{
	"small":   smallRun,
	"full":    fullRun,
	"hostile": hostileRun,
	"empty":   func() *result.Run { return &result.Run{} },
}

func TestHTMLStandsAlone(t *testing.T) {
	for name, run := range runs {
		p := render(t, run())
		if p != render(t, run()) {
			t.Errorf("%s: two pages of one run differ", name)
		}
		p = link.ReplaceAllString(p, "") // a reader may follow it; nothing is loaded
		for _, bad := range []string{"<script", "<img", "<link", "<iframe", "@import", "url(", "http://", "https://", "ZgotmplZ", "onload=\"", "onerror=\""} {
			if strings.Contains(p, bad) {
				t.Errorf("%s: page contains %q", name, bad)
			}
		}
	}
}

var link = regexp.MustCompile(`<a href="https://[^"<>]*">`)

// elements calls visit for each element of a page, which is well-formed enough
// for an XML reader with HTML's rules for the few void elements.
func elements(t *testing.T, p string, visit func(xml.StartElement)) {
	t.Helper()
	_, body, _ := strings.Cut(p, "</style>") // a style sheet isn't markup
	d := xml.NewDecoder(strings.NewReader("<html><head>" + body))
	d.Strict, d.AutoClose, d.Entity = true, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("page is not well-formed: %v", err)
		}
		if e, ok := tok.(xml.StartElement); ok {
			visit(e)
		}
	}
}

var pathData = regexp.MustCompile(`^(M-?[\d.]+ -?[\d.]+)([LlhvM]-?[\d.]+( -?[\d.]+)?)*z?$`)

func TestHTMLCoordinatesAreNumbers(t *testing.T) {
	numeric := " x y x1 y1 x2 y2 width height cx cy r "
	for name, run := range runs {
		shapes := 0
		elements(t, render(t, run()), func(e xml.StartElement) {
			for _, a := range e.Attr {
				switch {
				case e.Name.Local == "meta":
				case strings.Contains(numeric, " "+a.Name.Local+" "):
					v, err := strconv.ParseFloat(a.Value, 64)
					if err != nil || !quantity.Usable(v) || math.Abs(v) > 1e5 || v < 0 && (a.Name.Local == "width" || a.Name.Local == "height") {
						t.Errorf("%s: <%s %s=%q>", name, e.Name.Local, a.Name.Local, a.Value)
					}
					shapes++
				case a.Name.Local == "d" && !pathData.MatchString(a.Value):
					t.Errorf("%s: path %q", name, a.Value)
				case a.Name.Local == "viewBox":
					for _, f := range strings.Fields(a.Value) {
						if v, err := strconv.ParseFloat(f, 64); err != nil || v < 0 || v > 1e5 {
							t.Errorf("%s: viewBox %q", name, a.Value)
						}
					}
				}
			}
		})
		if shapes == 0 && name != "empty" {
			t.Errorf("%s: no picture at all", name)
		}
	}
}

func TestHTMLEveryPictureHasAName(t *testing.T) {
	elements(t, render(t, fullRun()), func(e xml.StartElement) {
		if e.Name.Local != "svg" {
			return
		}
		has := map[string]string{}
		for _, a := range e.Attr {
			has[a.Name.Local] = a.Value
		}
		if has["aria-hidden"] == "" && (has["role"] != "img" || has["aria-label"] == "") {
			t.Errorf("svg without a name: %v", e.Attr)
		}
	})
}

func TestHTMLSaysWhatIsMissing(t *testing.T) {
	run := fullRun()
	run.Interrupted, run.Leaf = true, "cgo"
	grid := &run.Experiments[1]
	grid.Series = append(grid.Series, result.Series{Name: "Grid/x", Label: "of a long table", NotMeasured: "no compiler"})
	p := render(t, run)
	for _, want := range []string{"not measured: no hardware counters here", "was interrupted", "fell back to cgo",
		"no compiler", "2 of 3 processes finished", "runs of the same code differed"} {
		if !strings.Contains(p, want) {
			t.Errorf("page lacks %q", want)
		}
	}
}

// Every chart must survive having nothing, one thing, or only things that it
// can't show.
func TestChartsWithoutData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, kind := range []result.ChartKind{result.Bars, result.Stacked, result.Lines, result.Grid, result.Flame, 99} {
		if c := newFigure(&result.Chart{Kind: kind}); !c.Empty() || len(c.Scenes) > 0 {
			t.Errorf("kind %d without data: empty %v, %d scenes", kind, c.Empty(), len(c.Scenes))
		}
	}
	for _, v := range []float64{0, -1, nan, inf, -inf, 5, 1e300, math.SmallestNonzeroFloat64} {
		c := result.Chart{
			Bars:   []result.Bar{{Value: v, Lo: v, Hi: v, Reference: v}},
			Stacks: []result.Stack{{Parts: []result.Part{{Value: v}}}},
			Lines:  []result.Line{{Points: []result.Point{{X: v, Y: v, Lo: v, Hi: v}}}},
			Marks:  []result.Mark{{X: v, Lo: v, Hi: v}},
		}
		for kind := result.Bars; kind <= result.Lines; kind++ {
			c.Kind = kind
			drawn := newFigure(&c)
			if kind == result.Lines && drawn.Empty() != !(quantity.Usable(v) && v > 0) {
				t.Errorf("lines with the only value %v: empty %v", v, drawn.Empty())
			}
		}
	}
}

// A line has one colour, wherever it stands in its chart: in its curve, beside
// its end, and in the legend of the narrow page.
func TestKeyLooksLikeItsCurve(t *testing.T) {
	points := []result.Point{{X: 1, Y: 1}, {X: 10, Y: 10}}
	c := &result.Chart{Kind: result.Lines, Lines: []result.Line{
		{Label: "a", Look: 3, Points: points}, {Label: "empty", Look: 1}, {Label: "b", Look: 1, Dashed: true, Points: points}, {Label: "c", Points: points},
	}}
	curves := func(s chart.Scene) (classes []string) {
		for _, shape := range s.Shapes {
			if strings.HasPrefix(shape.Class, "curve ") {
				classes = append(classes, shape.Class)
			}
		}
		return classes
	}
	drawn := newFigure(c)
	var keys []string
	for _, l := range drawn.Legend {
		keys = append(keys, curves(l.Key)...)
	}
	want := []string{"curve " + chart.Colour(2), "curve " + chart.Colour(0) + " dashed", "curve " + chart.Colour(3)}
	if !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	for _, s := range drawn.Scenes {
		if got := curves(s); !slices.Equal(got, want) {
			t.Errorf("%s: curves %q, want %q", s.Class, got, want)
		}
	}
}
