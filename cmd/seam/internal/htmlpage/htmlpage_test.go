package htmlpage

import (
	"bytes"
	"errors"
	"html/template"
	"math"
	"strings"
	"testing"
)

var kind = New(`{{define "title"}}of {{.Name}}{{end -}}
<h1>{{up .Name}}</h1>
{{template "scene" .Scene}}
`, ".mine { color: red; }", template.FuncMap{"up": strings.ToUpper})

func TestWrite(t *testing.T) {
	var s Scene
	s.Line("a", 0, -0.01, 1.25, 2)
	s.Rect("b", "<tip>", 1, 2, 3, 4)
	s.Text("c", "end", `"words"`, 1, 2)
	s.Polyline("d", []Spot{{1, 2}, {3, 4}}, true)
	s.Add(Shape{Kind: "dot", X: "1", Y: "2", R: "3"}, 1, 2)
	var b bytes.Buffer
	if err := kind.Write(&b, map[string]any{"Name": "<x>", "Scene": s}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"<title>of &lt;x&gt;</title>", "default-src 'none'", ":root {", ".mine { color: red; }</style>", "<main>\n<h1>&lt;X&gt;</h1>",
		`<line class="a" x1="0" y1="0" x2="1.2" y2="2"/>`,
		`<rect class="b" x="1" y="2" width="3" height="4"><title>&lt;tip&gt;</title></rect>`,
		`<text class="c" x="1" y="2" text-anchor="end">&#34;words&#34;</text>`,
		`<path class="d" d="M1 2L3 4z"/>`, `<circle class="" cx="1" cy="2" r="3"></circle>`, "</svg>\n</main>\n</body>\n</html>\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in:\n%s", want, page)
		}
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Errorf("something is not let through:\n%s", page)
	}
}

// TestNothingHalf writes neither a page that breaks off nor hides that it can't be written.
func TestNothingHalf(t *testing.T) {
	var b bytes.Buffer
	if err := kind.Write(&b, map[string]any{"Name": 5}); err == nil || !strings.HasPrefix(err.Error(), "html page: ") || b.Len() > 0 {
		t.Errorf("%v, and %d bytes are written", err, b.Len())
	}
	if err := kind.Write(full{}, map[string]any{"Name": "", "Scene": Scene{}}); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

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
