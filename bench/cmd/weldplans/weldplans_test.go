package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

const somePlan = `# seam.plan 1
# trace x: go1.26.8

leaf m.f sig=1 budget=20us # proven: 3 calls
cgo  m.g sig=2             # p99.9 4.10 µs, limit 1.00 µs
`

func TestAgreement(t *testing.T) {
	other := strings.Replace(somePlan, "cgo  m.g sig=2             # p99.9 4.10", "leaf m.g sig=2 # observed: 4.10", 1)
	for _, c := range []struct {
		name  string
		plans []string
		share float64
		said  string
	}{
		{"the same", []string{somePlan, somePlan}, 1, "2 plans of 2 functions agree on 2 of them (100.0 %), two plans on 100.0 %\n"},
		{"one differs", []string{somePlan, other, somePlan}, 0.5, "(50.0 %), two plans on 66.7 %\n\nm.g\n\tcgo in 2, as in: p99.9 4.10 µs, limit 1.00 µs\n\tleaf in 1, as in: observed"},
		{"nothing", []string{"", ""}, 0, "agree on 0 of them"},
	} {
		var plans []lines
		for _, p := range c.plans {
			plans = append(plans, read(p))
		}
		a := compare(plans)
		var b strings.Builder
		if err := a.write(&b); err != nil || a.share() != c.share || !strings.Contains(b.String(), c.said) {
			t.Errorf("%s: %v, %v\n%s", c.name, a.share(), err, b.String())
		}
	}
}

func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"": "-pkg names", "-pkg x -traces 1": "-traces must be 2", "-pkg x -agree 2": "from 0 to 1", "-pkg x": "",
	} {
		_, err := parse(strings.Fields(args), io.Discard)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
	}
}

// What is started for a load ends with it.
func TestLoadEnds(t *testing.T) {
	stop, err := load(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	stop()
}
