package textdiff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"the same", "x\n", "x\n", ""},
		{"a line changes", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"all is new", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"all goes", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"the last line's end", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"two places far apart", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n2\n3\n4\n5\n6\n7\n8\n0\n",
			"@@ -1,4 +1,4 @@\n-1\n+0\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+0\n"},
		{"a line moves down", "a\nb\nc\nd\n", "b\nc\na\nd\n", "@@ -1,4 +1,4 @@\n-a\n b\n c\n+a\n d\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want != "" {
				want = "--- old\n+++ new\n" + want
			}
			if got := Unified("old", "new", c.a, c.b); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// What compare finds turns the one text into the other.
func TestCompareIsComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		list := make([]string, r.IntN(40))
		for i := range list {
			list[i] = string(rune('a'+r.IntN(4))) + "\n"
		}
		return list
	}
	for range 2000 {
		a, b := text(), text()
		var made []string
		at := 0
		for _, e := range compare(a, b) {
			made = append(append(made, a[at:e.a]...), b[e.b:e.bEnd]...)
			at = e.aEnd
		}
		made = append(made, a[at:]...)
		if strings.Join(made, "") != strings.Join(b, "") {
			t.Fatalf("%q to %q became %q", a, b, made)
		}
	}
}

// Texts without anything in common must not take long.
func TestLargeAndDifferent(t *testing.T) {
	a, b := strings.Repeat("a\n", 50000), strings.Repeat("b\n", 50000)
	if got := strings.Count(Unified("a", "b", a, b), "\n"); got != 100003 {
		t.Errorf("%d lines, want 100003", got)
	}
}

// What Changes says makes the one text the other.
func TestChanges(t *testing.T) {
	for _, c := range [][2]string{{"a\nb\nc\n", "a\nx\ny\nc\n"}, {"", "a\n"}, {"a\nb", "a\nb\n"}, {"a\nb\nc\nd\n", "b\nc\ne\n"}, {"a\n", "a\n"}} {
		lines := slices.Collect(strings.Lines(c[0]))
		for _, x := range slices.Backward(Changes(c[0], c[1])) {
			lines = slices.Replace(lines, x.From-1, x.To-1, x.Text)
		}
		if got := strings.Join(lines, ""); got != c[1] {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
}
