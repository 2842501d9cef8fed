package doctest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var ordinals = map[string]int{"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}

// A claim is a share in words, which follows from two figures of a table in the README
// and is repeated elsewhere.
type claim struct {
	files []string
	words *regexp.Regexp // with the ordinal
	whole figureAt       // what the share is of
	part  figureAt
}

// A figureAt is the first time in a cell: in the row that begins so, the n-th after it.
type figureAt struct {
	row string
	n   int
}

var claims = []claim{
	{[]string{"README.md"}, regexp.MustCompile(`a (\w+) of cgo's price`),
		figureAt{"C call through cgo, integers", 1}, figureAt{"C call through `leaf`", 1}},
	{[]string{"README.md"}, regexp.MustCompile(`6\.3 ns: a (\w+)`),
		figureAt{"C calls a Go function", 1}, figureAt{"C calls a Go function", 2}},
	{[]string{"coro/doc.go"}, regexp.MustCompile(`functions at a (\w+) of a cgo callback's price`),
		figureAt{"C calls a Go function", 1}, figureAt{"C calls a Go function", 2}},
}

// One claim, one number: a share in words is that of the figures, rounded to our loss.
func TestClaimsFollowFromFigures(t *testing.T) {
	readme := read(t, "README.md")["README.md"]
	texts := read(t, "README.md", "doc.go")
	for _, c := range claims {
		want := int(timeAt(t, readme, c.whole) / timeAt(t, readme, c.part))
		for _, name := range c.files {
			m := c.words.FindStringSubmatch(texts[name])
			if m == nil {
				t.Errorf("%s no longer says %s: change the list of claims too", name, c.words)
			} else if ordinals[m[1]] != want {
				t.Errorf("%s says %q; the figures of README.md say 1/%d", name, m[0], want)
			}
		}
	}
}

// Figures that stand in two documents are the same in both.
func TestTourHasTheFiguresOfTheReadme(t *testing.T) {
	files := read(t, "README.md", "tour.md")
	for _, row := range []string{"C calls a Go function", "decode and encode 128 bytes of JSON with RapidJSON"} {
		for n := 1; n <= 2; n++ {
			at := figureAt{row, n}
			if a, b := timeAt(t, files["README.md"], at), timeAt(t, files["docs/tour.md"], at); a != b {
				t.Errorf("%s: %v ns in README.md, %v ns in docs/tour.md", row, a, b)
			}
		}
	}
}

var timeInCell = regexp.MustCompile(`(\d[\d.]*) (ns|µs|ms)`)

func timeAt(t *testing.T, text string, at figureAt) (ns float64) {
	t.Helper()
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < at.n+3 || strings.TrimSpace(cells[1]) != at.row {
			continue
		}
		if m := timeInCell.FindStringSubmatch(cells[1+at.n]); m != nil {
			v, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v * map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6}[m[2]]
		}
	}
	t.Fatalf("no table has a time in the row %q, cell %d", at.row, at.n)
	return 0
}
