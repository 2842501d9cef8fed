package chart

import (
	"html/template"
	"math"
	"strings"
	"testing"
)

func show(t *testing.T, name string, data any) string {
	t.Helper()
	var b strings.Builder
	if err := template.Must(template.New("").Parse(Template)).ExecuteTemplate(&b, name, data); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "ZgotmplZ") {
		t.Errorf("something is not let through:\n%s", b.String())
	}
	return b.String()
}

func TestScene(t *testing.T) {
	s := Scene{Class: "wide", Name: "<name>", W: "10", H: "20"}
	s.Line("a", 0, -0.01, 1.25, 2)
	s.Rect("b", "<tip>", 1, 2, 3, 4)
	s.Text("c", "end", `"words"`, 1, 2)
	s.Polyline("d", []Spot{{1, 2}, {3, 4}}, true)
	s.Add(Shape{Kind: "dot", X: "1", Y: "2", R: "3"}, 1, 2)
	want := `<svg class="wide" viewBox="0 0 10 20" role="img" aria-label="&lt;name&gt;"><line class="a" x1="0" y1="0" x2="1.2" y2="2"/>
<rect class="b" x="1" y="2" width="3" height="4"><title>&lt;tip&gt;</title></rect>
<text class="c" x="1" y="2" text-anchor="end">&#34;words&#34;</text>
<path class="d" d="M1 2L3 4z"/>
<circle class="" cx="1" cy="2" r="3"></circle>
</svg>`
	if got := show(t, "scene", s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLegend(t *testing.T) {
	got := show(t, "legend", []Item{{Swatch("part c0"), "<cgo>"}, {Label: "logarithmic scale"}})
	for _, want := range []string{`<li><svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect class="part c0"`, `</svg>&lt;cgo&gt;</li>`, "<li>logarithmic scale</li>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestBytes(t *testing.T) {
	got := show(t, "bytes", Bytes{"<T>", []ByteRow{
		{Cells: []ByteCell{{3, "f0", "a", "<a>"}, {5, "padding", "", ""}}}, {Gap: 48},
		{Offset: 64, Line: 1, Cells: []ByteCell{{6, "f1", "b", "b"}}},
	}})
	for _, want := range []string{`aria-label="&lt;T&gt;"`, `<tr><th>0</th><td class="f0" colspan="3" title="&lt;a&gt;">a</td><td class="padding" colspan="5"></td></tr>`,
		"… 48 more bytes …", `<td colspan="8">cache line 1</td>`, `<td class="f1" colspan="6" title="b">b</td><td class="none" colspan="2"></td>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestWhatIsNoPlaceIsNotDrawn(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), 2e6, -2e6} {
		var s Scene
		s.Line("", 1, bad, 2, 3)
		s.Rect("", "", 1, 2, bad, 3)
		s.Text("", "end", "words", bad, 1)
		s.Polyline("", []Spot{{1, 2}, {3, bad}}, false)
		if len(s.Shapes) > 0 {
			t.Errorf("%v is drawn: %v", bad, s.Shapes)
		}
	}
	var s Scene
	s.Rect("", "", 1, 2, -3, 4)
	s.Text("", "end", "", 1, 2)
	s.Polyline("", []Spot{{1, 2}}, false)
	if len(s.Shapes) > 0 {
		t.Errorf("nothing is drawn as %v", s.Shapes)
	}
}
