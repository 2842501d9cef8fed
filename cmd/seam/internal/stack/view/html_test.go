package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

func pageOf(t *testing.T, f *report.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, f, HTMLOptions{Dir: home}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The golden page is without its style: half of that is all of the tool's pages'.
func TestHTMLGolden(t *testing.T) {
	_, body, _ := strings.Cut(pageOf(t, small()), "</style>")
	golden(t, "small.html", body)
}

func TestHTMLStandsAlone(t *testing.T) {
	for name, file := range files {
		p := pageOf(t, file())
		if p != pageOf(t, file()) {
			t.Errorf("%s: two pages of one report differ", name)
		}
		for _, bad := range []string{"<script", "<img", "<link", "<iframe", "@import", "url(", "http://", "https://", "ZgotmplZ", "%!", "NaN", "Inf", "\x1b", "\u202e"} {
			if strings.Contains(p, bad) {
				t.Errorf("%s: the page contains %q", name, bad)
			}
		}
	}
}

// elements calls visit for each element of a page, and returns all text between them and in
// titles.
func elements(t *testing.T, p string, visit func(xml.StartElement)) string {
	t.Helper()
	_, body, _ := strings.Cut(p, "</style>") // a style sheet isn't markup
	d := xml.NewDecoder(strings.NewReader("<html><head>" + body))
	d.Strict, d.AutoClose, d.Entity = true, xml.HTMLAutoClose, xml.HTMLEntity
	var words strings.Builder
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words.String()
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			visit(e)
		case xml.CharData:
			words.Write(e)
			words.WriteByte('\n')
		}
	}
}

func TestHTMLIsWellFormed(t *testing.T) {
	numeric := " x y x1 y1 x2 y2 width height "
	for name, file := range files {
		ids, links := map[string]bool{}, []string{}
		elements(t, pageOf(t, file()), func(e xml.StartElement) {
			for _, a := range e.Attr {
				switch {
				case e.Name.Local == "meta":
				case a.Name.Local == "id":
					if ids[a.Value] {
						t.Errorf("%s: id %q twice", name, a.Value)
					}
					ids[a.Value] = true
				case a.Name.Local == "href":
					links = append(links, strings.TrimPrefix(a.Value, "#"))
				case strings.Contains(numeric, " "+a.Name.Local+" "):
					v, err := strconv.ParseFloat(a.Value, 64)
					if err != nil || math.IsNaN(v) || math.Abs(v) > 1e5 || v < 0 && (a.Name.Local == "width" || a.Name.Local == "height") {
						t.Errorf("%s: <%s %s=%q>", name, e.Name.Local, a.Name.Local, a.Value)
					}
				case strings.HasPrefix(a.Name.Local, "on"):
					t.Errorf("%s: <%s> has %s", name, e.Name.Local, a.Name.Local)
				}
			}
		})
		for _, l := range links {
			if !ids[l] {
				t.Errorf("%s: a link leads to #%s, which is nowhere", name, l)
			}
		}
	}
}

// What is drawn stays inside of the picture.
func TestDrawingsStayInside(t *testing.T) {
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for name, file := range files {
		f := file()
		scenes := chart.Draw(flame(f, names{}), pictureWidth)
		if len(f.Timeline.Spans) > 0 {
			scenes = append(scenes, chart.Draw(timeline(&f.Timeline), pictureWidth)...)
		}
		for _, s := range scenes {
			for _, sh := range s.Shapes {
				if sh.Kind != "rect" {
					continue
				}
				if x, y := number(sh.X)+number(sh.X2), number(sh.Y)+number(sh.Y2); number(sh.X) < 0 || number(sh.Y) < 0 || x > number(s.W)+0.2 || y > number(s.H)+0.2 {
					t.Errorf("%s, %s: a box from %s,%s to %v,%v in a picture of %s by %s", name, s.Class, sh.X, sh.Y, x, y, s.W, s.H)
				}
			}
		}
	}
}

// Text and page tell the same: all figures, sites and reasons of the one are in the other.
func TestHTMLHasAllThatTheTextHas(t *testing.T) {
	f := large()
	words := strings.ReplaceAll(elements(t, pageOf(t, f), func(xml.StartElement) {}), "\u00a0", " ")
	var want []string
	for _, x := range facts(f) {
		want = append(want, x.value)
	}
	want = append(want, totals(f, sum(f))...)
	want = append(want, warnings(f)...)
	n := names{dir: home}
	for i, list := range advise(f, n) {
		s := &f.Sites[i]
		want = append(want, n.function(s.Callee), n.where(s.Caller), siteWords(s, f))
		for _, a := range list {
			want = append(want, a.words())
		}
		for _, st := range s.Steps {
			want = append(want, step(st.From, st.To), count(st.Count), size(st.Copied), duration(st.Time))
		}
		for _, e := range s.Entries {
			want = append(want, n.entry(e)+": "+times(e.Count))
		}
	}
	for i := range f.Overflows {
		want = append(want, overflowWords(&f.Overflows[i], n))
	}
	for _, p := range f.Processes {
		want = append(want, processWords(&p))
	}
	for _, z := range f.Sizes {
		want = append(want, size(z.Bytes), count(z.Allocs), count(z.Frees), count(z.New), count(z.Grown), count(z.Shrunk), count(z.Peak))
	}
	for _, z := range f.Refills {
		want = append(want, size(z.Bytes), count(z.Refills), count(z.Releases))
	}
	for _, z := range f.Shrinks {
		want = append(want, step(z.From, z.To), count(z.Count), size(z.Copied), duration(z.Time))
	}
	for _, c := range f.Chains {
		want = append(want, n.entry(c.Entry), chain(c.Sizes, 80), count(c.Goroutines), count(c.Count))
	}
	for i := range f.Timeline.Spans {
		want = append(want, spanTip(&f.Timeline, i, &f.Timeline.Spans[i]))
	}
	for _, row := range timelineRows(&f.Timeline) {
		want = append(want, row...)
	}
	walk(largest(f, pageNodes), 0, func(b, parent *branch, _ int) {
		if b.node != nil {
			want = append(want, branchWords(b.node, parent.node, n), count(b.node.Count), size(b.node.Copied))
		}
	})
	for _, w := range want {
		if !strings.Contains(words, w) {
			t.Errorf("the page doesn't say %q", w)
		}
	}
}

// TestWritePages leaves pages to look at: SEAM_STACK_PAGES=DIR go test -run WritePages.
func TestWritePages(t *testing.T) {
	dir := os.Getenv("SEAM_STACK_PAGES")
	if dir == "" {
		t.Skip("SEAM_STACK_PAGES names no folder")
	}
	for name, file := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(pageOf(t, file())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
