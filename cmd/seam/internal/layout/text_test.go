package layout

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// shown is a report as the pages and texts show it: without a compiler, so that
// it is the same everywhere.
func shown() *Report {
	i32 := &Type{Kind: Int, Name: "int32", Size: 4, Align: 4}
	f64 := &Type{Kind: Float, Name: "float64", Size: 8, Align: 8}
	cInt := &Type{Kind: Int, Name: "int32_t", Size: 4, Align: 4}
	cDouble := &Type{Kind: Float, Name: "double", Size: 8, Align: 8}
	cChar := &Type{Kind: Char, Name: "char", Size: 1, Align: 1}
	u8 := &Type{Kind: Uint, Name: "uint8", Size: 1, Align: 1}
	array := func(name string, of *Type, n int64) *Type {
		return &Type{Kind: Array, Name: name, Elem: of, Count: n, Size: n * of.Size, Align: of.Align}
	}
	structure := func(name string, size, align int64, packed bool, fields ...Field) *Type {
		for i := range fields {
			if fields[i].Align = fields[i].Type.Align; fields[i].Bits > 0 {
				fields[i].Offset = fields[i].FirstBit / 8
			}
		}
		return &Type{Kind: Struct, Name: name, Size: size, Align: align, Packed: packed, Fields: fields}
	}
	r := &Report{Seam: "test", Go: "go1.2", Target: Target{"linux", "amd64", 8}, Line: 64}
	add := func(g, c *Type) {
		r.Pairs = append(r.Pairs, newResult(Pair{Go: afterDot(g.Name), C: c.Name, Where: "p.go:1"}, "example.com/p", "p", g, c, 64, false))
	}
	add(structure("p.Reading", 24, 8, false, Field{Name: "Tag", Type: u8}, Field{Name: "Value", Offset: 8, Type: f64}, Field{Name: "ID", Offset: 16, Type: i32}),
		structure("struct reading", 13, 1, true, Field{Name: "tag", Type: cChar}, Field{Name: "value", Offset: 1, Type: cDouble}, Field{Name: "id", Offset: 9, Type: cInt}))
	add(structure("p.Text", 208, 8, false, Field{Name: "A", Type: i32}, Field{Name: "_", Offset: 4, Type: array("[4]uint8", u8, 4)}, Field{Name: "B", Offset: 8, Type: array("[100]uint8", u8, 100)}, Field{Name: "C", Offset: 112, Type: array("[12]float64", f64, 12)}),
		structure("struct text", 208, 8, false, Field{Name: "a", Type: cInt}, Field{Name: "b", Offset: 8, Type: array("char[100]", cChar, 100)}, Field{Name: "c", Offset: 112, Type: array("double[12]", cDouble, 12)}))
	add(structure("p.Loose", 24, 8, false, Field{Name: "A", Type: u8}, Field{Name: "B", Offset: 8, Type: f64}, Field{Name: "C", Offset: 16, Type: i32}),
		structure("struct loose", 24, 8, false, Field{Name: "a", Type: cChar}, Field{Name: "b", Offset: 8, Type: cDouble}, Field{Name: "c", Offset: 16, Type: cInt}))
	evil := structure("struct <script>alert(1)</script>\x1b[31m", 4, 4, false, Field{Name: "bits", Type: cInt, Bits: 3, FirstBit: 0}, Field{Name: "<b>", Type: cInt, Bits: 5, FirstBit: 3})
	add(structure("p.Evil", 4, 4, false, Field{Name: "Bits", Type: i32}), evil)
	return r
}

func TestTextGolden(t *testing.T) {
	for _, c := range []struct {
		file string
		o    text.Options
	}{{"wide.txt", text.Options{Width: 100}}, {"narrow.txt", text.Options{Width: 50}}, {"narrowest.txt", text.Options{Width: 40}}, {"colour.txt", text.Options{Width: 100, Colour: true}}} {
		var b strings.Builder
		if err := shown().WriteText(&b, c.o); err != nil {
			t.Fatal(err)
		}
		golden(t, c.file, b.String())
		if c.o.Colour {
			continue
		}
		for line := range strings.Lines(b.String()) {
			// Declarations are for copying: they are never cut.
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > c.o.Width && !strings.Contains(line, "(example.com") {
				t.Errorf("%s: %d columns: %s", c.file, n, line)
			}
		}
		if strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s has escape sequences", c.file)
		}
	}
}

// The golden page is without its style: half of that is all of the tool's pages'.
func TestHTMLGolden(t *testing.T) {
	var b strings.Builder
	if err := shown().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "</style>")
	golden(t, "page.html", body)
	if strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "http:") || strings.Contains(b.String(), "src=") {
		t.Error("the page holds a script, or something from elsewhere")
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Mismatches that are not listed count too.
func TestAllPlacesAreCounted(t *testing.T) {
	r := shown()
	pair := &r.Pairs[0]
	pair.More = 7
	var page, words strings.Builder
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteText(&words, text.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("differ in %d places", len(pair.Mismatches)+7)
	if !strings.Contains(page.String(), want) || !strings.Contains(words.String(), want) {
		t.Errorf("the page or the text does not say %q:\n%s", want, words.String())
	}
}

func TestJSONGolden(t *testing.T) {
	var b strings.Builder
	if err := shown().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", b.String())
	var back struct {
		Schema string
		Report
	}
	d := json.NewDecoder(strings.NewReader(b.String()))
	d.DisallowUnknownFields()
	if err := d.Decode(&back); err != nil {
		t.Fatal(err)
	}
	if back.Differing() != 1 || len(back.Pairs) != 4 || back.Pairs[3].C.Fields[0].Bits[1].First != 3 {
		t.Errorf("%+v", back)
	}
}

// A picture accounts for every byte once.
func TestPicturesAccountForEveryByte(t *testing.T) {
	r := shown()
	for i := range r.Pairs {
		for _, s := range []*Side{&r.Pairs[i].Go, &r.Pairs[i].C} {
			for _, line := range []int64{8, 16, 64, 4096} {
				sum := int64(0)
				for _, row := range s.rows(line) {
					if row.Gap == 0 && row.Offset != sum {
						t.Errorf("%s: a row begins at %d, want %d", s.Type, row.Offset, sum)
					}
					sum += row.Gap
					for _, c := range row.Cells {
						sum += int64(c.Span)
					}
				}
				if sum != s.Size {
					t.Errorf("%s: the picture has %d bytes of %d", s.Type, sum, s.Size)
				}
			}
		}
	}
}

func TestGoldensAreComplete(t *testing.T) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) != 6 {
		t.Errorf("files in testdata: %q, %v", names, err)
	}
}
