package results

import (
	"math"
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	const head = columns + "\n"
	for text, want := range map[string]string{
		"":                          "there are no columns",
		"no head\n" + head:          "line 1",
		head + "a\tns\t1\t1\n":      "has not the columns",
		head + "a\tns\t1\t2\t3\n":   "lies outside",
		head + "a\tns\tNaN\t1\t1\n": "is no number",
		head + "a\tns\t1\t1\t1\n" + "a\tns\t1\t1\t1\n": "line 3: a ns is there twice",
		head + "\tns\t1\t1\t1\n":                       "has not the columns",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{Unit: "ns", Value: 0.944}, "0.94 ns"},
		{Row{Unit: "ns", Value: 999.9}, "1.00 µs"},
		{Row{Unit: "ns", Value: 1234567}, "1.23 ms"},
		{Row{Unit: "ns", Value: 5e12}, "5,000 s"},
		{Row{Unit: "B", Value: 2765}, "2.70 KiB"},
		{Row{Unit: "", Value: 10004}, "10,004"},
		{Row{Unit: "×", Value: 1, Low: 0.93, High: 1.33}, "1.00× (0.93–1.33)"},
		{Row{Unit: "×", Value: 103.4, Low: 103.4, High: 103.4}, "103×"},
		{Row{Unit: "ns", Value: 0}, "0 ns"},
	} {
		if got := c.row.Words(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.row, got, c.want)
		}
	}
	if got := (Row{Unit: "ns", Value: 1500, Low: 900, High: 2000}).Interval(); got != "0.90–2.00" {
		t.Error(got)
	}
}

// What a command writes can be read.
func TestHere(t *testing.T) {
	r := Here("some command -flag")
	r.Add("a", "×", 2, 0, math.Inf(1)) // one round has no interval
	r.Add("b", "ns", 3, 2, 4)
	again, err := Parse(r.String())
	if err != nil || again.String() != r.String() || again.Head["command"] != "some command -flag" || again.Rows[0].High != 2 {
		t.Errorf("%v, %v", again, err)
	}
}
