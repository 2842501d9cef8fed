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
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for n := range 30 {
		for _, s := range []string{strings.Repeat("a", 40), strings.Repeat("語", 40), strings.Repeat("e\u0301", 40)} {
			for _, got := range []string{w.Cut(s, n), w.Shorten(s, n), fine.Cut(s, n), fine.Shorten(s, n)} {
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
	if got := write(Options{}, func(w *Writer) { w.Table(Table{Columns: []*Column{{Head: "empty", Cells: []string{"", ""}}}}) }); got != "" {
		t.Errorf("an empty table is %q", got)
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
