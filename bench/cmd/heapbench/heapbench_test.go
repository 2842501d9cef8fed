//go:build linux

package main

import (
	"errors"
	"io"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/internal/results"
)

func TestReadFolded(t *testing.T) {
	got, err := readFolded("Using local file x.\nmain (a.c);small_site (sites.c);hold (b c.c); 24000000\nruntime.x<00a>;small_site<01> 7\n\n")
	want := map[string]float64{"main (a.c);small_site (sites.c);hold (b c.c);": 24000000, "runtime.x<00a>;small_site<01>": 7}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for text, said := range map[string]string{"": "no stacks", "a;b x": "number of bytes"} {
		if _, err := readFolded(text); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReadSeam(t *testing.T) {
	got, err := readSeam([]byte(`{"sites":[{"live":5,"stack":[{"Func":"hold"},{"Func":"main.main"}]},{"live":2,"stack":[{"Func":"hold"},{"Func":"main.main"}]}]}`))
	if err != nil || len(got) != 1 || got["hold;main.main"] != 7 {
		t.Errorf("%v, %v", got, err)
	}
}

// measured is what two runs of seam heap have found in each site, without the other profilers.
func measured(bytes float64) *measurement {
	m := &measurement{rounds: 1, before: 1000, missing: map[string]error{}, live: map[string]map[string][]float64{"seam": {}}, callers: map[string]map[string]bool{"seam": {}}}
	for _, t := range tools("seam")[1:] {
		m.missing[t.name] = errors.New(t.name + " isn't installed")
	}
	for _, p := range programs {
		m.rows = append(m.rows, &row{p, "seam", []paired.Round{{Old: [2]float64{1, 1}, New: [2]float64{2, 2}}}})
	}
	for _, s := range sites {
		m.live["seam"][s.name] = []float64{bytes - 1e6, bytes + 1e6}
		m.callers["seam"][s.name] = true
	}
	return m
}

func TestReport(t *testing.T) {
	m := measured(held)
	var b strings.Builder
	if err := m.report(&b); err != nil || !strings.Contains(b.String(), "heaptrack isn't installed") || strings.Count(b.String(), "2.00×") != 4 || !strings.Contains(b.String(), "3 of 3") || !strings.Contains(b.String(), "load 1000.0") {
		t.Errorf("%v\n%s", err, b.String())
	}
	r, err := results.Parse(m.results("heapbench").String())
	if err != nil || r.Head["jemalloc"] != "jemalloc isn't installed" || r.Head["loaded"] == "" || len(r.Rows) != 4+1+3+1 || math.Abs(r.Rows[0].Value-2) > 1e-9 {
		t.Errorf("%v, %+v", err, r)
	}
	if wrong := m.wrong(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// What no sampling of this rate finds is told, and so is a stack that ends before Go.
func TestWrong(t *testing.T) {
	m := measured(2 * held)
	delete(m.callers["seam"], "large_site")
	if wrong := m.wrong(); len(wrong) != len(sites)+1 || !strings.Contains(wrong[len(sites)], "no stack leads from large_site to main.holdLarge") {
		t.Errorf("%q", wrong)
	}
}

func TestParse(t *testing.T) {
	if _, err := parse([]string{"-rounds", "0"}, io.Discard); err == nil {
		t.Error("no rounds are taken")
	}
	if o, err := parse(nil, io.Discard); err != nil || o.rounds != 5 {
		t.Error(o, err)
	}
}
