package text

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

func write(o Options, f func(w *Writer)) string {
	var b strings.Builder
	w := New(&b, o)
	f(w)
	w.Flush()
	return b.String()
}

func TestParagraph(t *testing.T) {
	got := write(Options{Width: 60}, func(w *Writer) {
		w.Paragraph(Plain, "! ", "Words of a go1.26.8-and-a-half sentence about 12 µs\tand\x1b[31m more, that …")
	})
	want := "! Words of a go1.26.8-and-a-half sentence about 12 us\n  and[31m more, that ...\n"
	if got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
	// A number's unit isn't left alone.
	for _, l := range Break("it takes about 100 ns", 18) {
		if l == "ns" {
			t.Error("a unit is on a line of its own")
		}
	}
	if got := Break("", 10); len(got) != 1 || got[0] != "" {
		t.Errorf("an empty paragraph is %q", got)
	}
}

func TestHardParagraph(t *testing.T) {
	long := strings.Repeat("a", 50) + strings.Repeat("語", 20)
	got := write(Options{Width: 60}, func(w *Writer) {
		w.Hard = true
		w.Paragraph(Plain, "! ", "a name: "+long+" and more")
	})
	want := "! a name:\n  " + strings.Repeat("a", 50) + "語語語語\n  " + strings.Repeat("語", 16) + " and more\n"
	if got != want {
		t.Errorf("got\n%s want\n%s", got, want)
	}
}

func TestShorten(t *testing.T) {
	w := New(nil, Options{})
	fine := New(nil, Options{Colour: true})
	for _, c := range []struct {
		got, want string
	}{
		{w.Cut("abcdefghij", 10), "abcdefghij"},
		{w.Cut("abcdefghijk", 10), "abcdefg..."},
		{w.Shorten("abcdefghijklmnop", 12), "abc...klmnop"},
		{fine.Shorten("abcdefghijklmnop", 10), "abc…klmnop"},
		{fine.Cut("日本語日本語", 6), "日本…"},
		{fine.Shorten("日本語日本語", 7), "日…本語"},
		{w.Cut("abcdef", 2), ".."},
		{w.Cut("abcdef", 0), ""},
		{fine.Shorten("abcdef", 1), "."},
		{w.KeepEnd("very/deep/file.go:12", 13), "...file.go:12"},
		{fine.KeepEnd("日本語", 4), "…語"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for n := range 30 {
		for _, s := range []string{strings.Repeat("a", 40), strings.Repeat("語", 40), strings.Repeat("e\u0301", 40)} {
			for _, got := range []string{w.Cut(s, n), w.Shorten(s, n), w.KeepEnd(s, n), fine.Cut(s, n), fine.Shorten(s, n), fine.KeepEnd(s, n)} {
				if lipgloss.Width(got) > n {
					t.Errorf("%q is wider than %d", got, n)
				}
			}
		}
	}
}

func columns() []*Column {
	c := []*Column{{Head: "function", Left: true, Rank: 9, Least: 12}, {Head: "calls", Rank: 8}, {Head: "nothing"}, {Head: "p50", Rank: 2}, {Head: "caller", Left: true, Rank: 5, Least: 10, End: true}}
	Add(c, "sqlite3._sqlite3_step_with_a_long_name", "1000", "", "12 ns", "main.run in a file")
	Add(c, "x", "7", "", "9 ns", "main.main")
	return c
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name, want string
		width      int
		table      Table
	}{
		{"wide", `
function                                calls    p50  caller
sqlite3._sqlite3_step_with_a_long_name   1000  12 ns  main.run in a file
x                                           7   9 ns  main.main
`, 90, Table{}},
		{"names are shortened", `
  function                          calls    p50  caller
  ----------------------------------------------------------
  sqlite3._...tep_with_a_long_name   1000  12 ns  main.ru...
  x                                     7   9 ns  main.main
`, 60, Table{Rule: true, Indent: 2}},
		{"the rest goes into a second table", `
                       function                 calls    p50
                       sqlite...th_a_long_name   1000  12 ns
                       x                            7   9 ns
                       function                   caller
                       sqlite3...ith_a_long_name  main.ru...
                       x                          main.main
`, 60, Table{Indent: 23, Repeat: true}},
		{"apart from the first", `
                       function                 calls    p50
                       sqlite...th_a_long_name   1000  12 ns
                       x                            7   9 ns

                       function                   caller
                       sqlite3...ith_a_long_name  main.ru...
                       x                          main.main
`, 60, Table{Indent: 23, Repeat: true, Apart: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.table.Columns = columns()
			got := write(Options{Width: c.width}, func(w *Writer) { w.Table(c.table) })
			if got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got\n%s want%s", got, c.want)
			}
			for l := range strings.Lines(got) {
				if lipgloss.Width(strings.TrimRight(l, "\n")) > c.width {
					t.Errorf("wider than %d: %s", c.width, l)
				}
			}
		})
	}
}

// What is left out, and how cells become narrower.
func TestTableFits(t *testing.T) {
	long := strings.Repeat("word ", 12)
	c := []*Column{
		{Head: "name", Left: true, Rank: 3, Least: 8, Short: []string{"short", ""}},
		{Head: "words", Left: true, Rank: 3, Least: 20, Wrap: true, StyleOf: func(row int) lipgloss.Style { return Bold }},
		{Head: "least", Rank: 1}, {Head: "last", Rank: 1},
	}
	Add(c, strings.Repeat("n", 40), long, "1", strings.Repeat("2", 40))
	Add(c, "b", "", "3", "4")
	got := write(Options{Width: 60}, func(w *Writer) { w.Table(Table{Columns: c}) })
	for _, line := range []string{"short", "name", "word word"} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	if strings.Contains(got, "last") || !strings.Contains(got, "least") || strings.Contains(got, "nn") {
		t.Errorf("got\n%s", got)
	}
	for l := range strings.Lines(got) {
		if lipgloss.Width(strings.TrimRight(l, "\n")) > 60 {
			t.Errorf("wider than 60: %s", l)
		}
	}
	if c[0].Cells[0] != strings.Repeat("n", 40) {
		t.Error("the caller's cells have changed")
	}
	coloured := write(Options{Width: 60, Colour: true}, func(w *Writer) { w.Table(Table{Columns: c, Rule: true}) })
	if !strings.Contains(coloured, "\x1b[1mword") || !strings.Contains(coloured, "─") || strings.Contains(got, "\x1b") {
		t.Errorf("coloured it is %q", coloured)
	}
	noHeads := []*Column{{Left: true, Start: true, Cells: []string{"a", strings.Repeat("folder/", 20) + "file.go"}}}
	if got := write(Options{Width: 60}, func(w *Writer) { w.Table(Table{Columns: noHeads, Indent: 40}) }); got != strings.Repeat(" ", 40)+"a\n"+strings.Repeat(" ", 40)+"...er/folder/file.go\n" {
		t.Errorf("without heads it is %q", got)
	}
	if got := write(Options{}, func(w *Writer) { w.Table(Table{Columns: []*Column{{Head: "empty", Cells: []string{"", ""}}}}) }); got != "" {
		t.Errorf("an empty table is %q", got)
	}
}

// Where there is too little room for all, the short forms of one column come before
// the whole words of another.
func TestTableShort(t *testing.T) {
	c := []*Column{
		{Head: "name", Left: true, Least: 5, Short: []string{"long", ""}}, {Head: "place", Left: true, Least: 5, Short: []string{"file.go:10", "f.go:9"}},
		{Head: "words", Left: true, Least: 5},
	}
	Add(c, "a/very/long", "a/folder/file.go:10", strings.Repeat("w", 60))
	Add(c, "name", "f.go:9", "")
	for width, want := range map[int]string{
		60:  "a/very/long  a/folder/file.go:10  wwwwwww...wwwwwwwwwwwwwwww\n",
		100: "a/very/long  a/folder/file.go:10  " + strings.Repeat("w", 60) + "\n",
	} {
		if got := write(Options{Width: width}, func(w *Writer) { w.Table(Table{Columns: c}) }); !strings.Contains(got, "\n"+want) {
			t.Errorf("got\n%s want\n%s", got, want)
		}
	}
	c[0].Cells[0], c[2].Head = strings.Repeat("n", 60), "words and words and words and words"
	want := "long  a/folder/file.go:10  wwwwwwwwwww...wwwwwwwwwwwwwwwwwwwwww\n"
	if got := write(Options{Width: 63}, func(w *Writer) { w.Table(Table{Columns: c}) }); !strings.Contains(got, "\n"+want) {
		t.Errorf("got\n%s want\n%s", got, want)
	}
}

// Whatever a cell holds, it is neither a command to the terminal nor another line.
func FuzzTable(f *testing.F) {
	f.Add("a\nb\x1b[2J", "日本", 60, true)
	f.Fuzz(func(t *testing.T, a, b string, width int, colour bool) {
		width %= 300
		c := []*Column{{Head: a, Left: true, Least: 10}, {Head: "n", Least: 5, End: true}}
		Add(c, a, b)
		Add(c, b, a)
		got := write(Options{Width: width, Colour: colour}, func(w *Writer) { w.Table(Table{Columns: c}) })
		if n := strings.Count(got, "\n"); n > 3 {
			t.Errorf("%d lines: %q", n, got)
		}
		if !colour && strings.ContainsAny(got, "\x1b\r\t\u202e") {
			t.Errorf("it has what upsets a terminal: %q", got)
		}
	})
}

func TestBreak(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"one two three", "one two|three"},
		{"", ""},
		{"averyverylongword x", "averyverylongword|x"},
		{"a  b", "a  b"},
	} {
		if got := strings.Join(Break(c.in, 8), "|"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNumbersStayWithTheirUnit(t *testing.T) {
	for s, want := range map[string]string{
		"0.25 % through":       "0.25\u00a0% through",
		"is 95 %":              "is 95\u00a0%",
		"a call of 3 ns, then": "a call of 3\u00a0ns, then",
		"5 MiB and 30 times":   "5\u00a0MiB and 30\u00a0times",
		"with 16 KB each":      "with 16\u00a0KB each",
		"2 sides, 3 Bytes":     "2 sides, 3 Bytes",
	} {
		if got := Glue(s); got != want {
			t.Errorf("Glue(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestFits(t *testing.T) {
	table := Table{Indent: 1, Columns: []*Column{{Cells: []string{strings.Repeat("a", 40)}}, {Head: "empty", Cells: []string{""}}, {Head: strings.Repeat("b", 37), Cells: []string{"…"}}}}
	if !New(nil, Options{Width: 80}).Fits(table) {
		t.Error("a table of 80 columns doesn't fit into 80")
	}
	if New(nil, Options{Width: 79}).Fits(table) {
		t.Error("a table of 80 columns fits into 79")
	}
}

func TestWidth(t *testing.T) {
	for asked, want := range map[int]int{0: 80, -5: 80, 10: 40, 40: 40, 48: 48, 200: 200} {
		if got := New(nil, Options{Width: asked}).Width; got != want {
			t.Errorf("asked for %d columns it writes for %d, want %d", asked, got, want)
		}
	}
}
