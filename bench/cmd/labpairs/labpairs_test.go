package main

import (
	"strings"
	"testing"
)

func TestSlowed(t *testing.T) {
	const lines = "#seam round: 0\nBenchmarkA/x 5 10 ns/op\nBenchmarkA/xy 5 10 ns/op\nBenchmarkA/x 1 3 allocs/op\n"
	got, n, err := slowed([]byte(lines), "txt", "A/x", 1.5)
	if want := strings.Replace(lines, "A/x 5 10", "A/x 5 15", 1); string(got) != want || n != 1 || err != nil {
		t.Errorf("%d %v\n%s", n, err, got)
	}
	const file = `{"seed":18446744073709551615,"experiments":[{"name":"a","series":[
		{"name":"A/x","unit":"ns/op","median":10,"lo":8,"hi":12,"samples":[{"round":0,"value":10}]},
		{"name":"A/x","unit":"B","median":10}]}]}`
	got, n, err = slowed([]byte(file), "json", "A/x", 1.5)
	if err != nil || n != 4 || !strings.Contains(string(got), `"seed":18446744073709551615`) || strings.Count(string(got), ":15") != 2 || !strings.Contains(string(got), `"median":10`) {
		t.Errorf("%d %v\n%s", n, err, got)
	}
	if _, n, _ := slowed([]byte(file), "json", "A/y", 2); n != 0 {
		t.Errorf("%d values of a row that is not there", n)
	}
}

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		t     tally
		mode  string
		wants int
	}{
		{tally{pairs: 30, exits: 1}, "quick", 0},
		{tally{pairs: 30, exits: 2}, "quick", 1},
		{tally{pairs: 12, exits: 1}, "quick", 0},
		{tally{pairs: 20, found: []found{{"A", 17, 20}}}, "quick", 0},
		{tally{pairs: 20, found: []found{{"A", 17, 20}, {"B", 18, 20}}}, "normal", 1},
	} {
		if got := c.t.missed(c.mode); got != c.wants {
			t.Errorf("%+v: %d goals missed, want %d", c.t, got, c.wants)
		}
	}
}
