package layout

import (
	"strings"
	"testing"
	"unicode"
)

func TestParsePair(t *testing.T) {
	for _, c := range []struct{ text, goName, cName string }{
		{"Point=struct point", "Point", "struct point"},
		{"Point=struct_point", "Point", "struct point"},
		{"Point=C.struct_point", "Point", "struct point"},
		{"Point=C.union_u", "Point", "union u"},
		{"Point=C.enum_e", "Point", "enum e"},
		{"Point=C.point_t", "Point", "point_t"},
		{" Point = point_t ", "Point", "point_t"},
		{"Pair[int32]=struct pair", "Pair[int32]", "struct pair"},
		{"Pair[int32,  []*Point]=struct pair", "Pair[int32, []*Point]", "struct pair"},
		{"Pair[[4]byte]=pair", "Pair[[4]byte]", "pair"},
		{"P=ns::inner::point", "P", "ns::inner::point"},
		{"P=class ns::point", "P", "class ns::point"},
		{"Größe=struct größe", "Größe", "struct größe"},
		{"P=structure_t", "P", "structure_t"},
	} {
		p, err := ParsePair(c.text)
		if err != nil || p.Go != c.goName || p.C != c.cName {
			t.Errorf("%q is %q and %q (%v), want %q and %q", c.text, p.Go, p.C, err, c.goName, c.cName)
		}
	}
}

func TestParsePairRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"Point":                            "not a pair of types",
		"=struct point":                    "not the name of a Go type: it is empty",
		"Point=":                           "not the name of a C type: it is empty",
		"Point=struct":                     "a name must follow struct",
		"Point=C.":                         "nothing follows C.",
		"Point=struct point *":             "want struct NAME",
		"Point=point)]; int x; char y[(1":  "want struct NAME",
		"Point=x);system(0":                `')' can't be in a name`,
		"Point=1st":                        `'1' can't be in a name`,
		"Point=a::":                        "a name is missing",
		"Point=const point":                "want struct NAME",
		"C.struct_point=struct point":      "declare one",
		"time.Time=struct tm":              "types of other packages",
		"*Point=struct point":              "want an identifier",
		"_=struct point":                   "want an identifier",
		"P[func()]=struct p":               "a type argument may be",
		"P[time.Time]=struct p":            "a type argument may be",
		"func() { println() }()=struct p":  "want an identifier",
		"P\x1b[31m=struct p":               `P·[31m`,
		strings.Repeat("x", 2000) + "=y":   "too long",
		"x=" + strings.Repeat("y", 2000):   "too long",
		"Point}; var X = func(){=struct p": "can't be parsed",
	} {
		if p, err := ParsePair(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %+v, error %v, want one with %q", clean(text), p, err, want)
		}
	}
}

func TestParseDirective(t *testing.T) {
	for _, c := range []struct {
		text    string
		generic bool
		goName  string
		cName   string
		err     string
	}{
		{text: " struct point", goName: "Point", cName: "struct point"},
		{text: "\tC.struct_point // as in point.h", goName: "Point", cName: "struct point"},
		{text: " Point[int8]=struct point8", generic: true, goName: "Point[int8]", cName: "struct point8"},
		{text: "", err: "names no C type"},
		{text: " struct point", generic: true, err: "type parameters"},
		{text: " Other=struct point", err: "move it above the declaration of Other"},
	} {
		p, err := parseDirective(c.text, "Point", c.generic)
		switch {
		case c.err == "" && (err != nil || p.Go != c.goName || p.C != c.cName):
			t.Errorf("%q is %+v, %v", c.text, p, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q: error %v, want one with %q", c.text, err, c.err)
		}
	}
}

// Names go into files of Go and of C: whatever is accepted must be a name and
// nothing else, and must mean the same when it is read again.
func FuzzParsePair(f *testing.F) {
	for _, seed := range []string{
		"Point=struct point", "Pair[int32, *P]=C.struct_pair", "P=ns::q", "=", "P=x);", "P[[4]byte]=u", "A\n=b", "P=struct\tx", "P[\"]\"]=x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePair(text)
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return unicode.IsControl(r) }) {
				t.Fatalf("the error has control characters: %q", err)
			}
			return
		}
		for _, r := range p.C {
			if r != ' ' && r != ':' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				t.Fatalf("%q in the name %q", r, p.C)
			}
		}
		if strings.ContainsAny(p.Go, "\n\r;{}()`\"'/\\") {
			t.Fatalf("name %q", p.Go)
		}
		again, err := ParsePair(p.Go + "=" + p.C)
		if err != nil || again != p {
			t.Fatalf("%q is %+v, and that is %+v, %v", text, p, again, err)
		}
	})
}
