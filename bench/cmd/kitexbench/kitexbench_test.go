//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/bench/internal/command"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == peerRole {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	var out, errs bytes.Buffer
	code, err := run(t.Context(), []string{"-rounds", "1", "-turns", "2", "-slice", "5ms"}, &out, &errs)
	if code != 0 || err != nil { // one round proves nothing, so it misses nothing
		t.Fatal(code, err, errs.String())
	}
	for _, want := range []string{"2 items: calls/s", "50 items: p99 µs", "one round", "neither proven"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q", &out, want)
		}
	}
}

// What is proven is said, either way.
func TestVerdicts(t *testing.T) {
	c := &column{items: 2, throughput: []float64{0.1, 0.1}, p99: []float64{0.2, 0.2}, cpu: []float64{0, 0}}
	var out bytes.Buffer
	missed, err := report(&out, []*column{c}, 16)
	if err != nil || missed != 1 {
		t.Errorf("%d goals are missed, %v", missed, err)
	}
	lines := strings.Split(out.String(), "\n")
	var throughput, p99 string
	for _, l := range lines {
		if strings.Contains(l, "calls/s") {
			throughput = l
		} else if strings.Contains(l, "p99") {
			p99 = l
		}
	}
	if !strings.Contains(throughput, "reached") || !strings.Contains(p99, "missed") {
		t.Errorf("got\n%s", &out)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-turns", "3"}, {"-slice", "0"}, {"-callers", "0"}, {"more"}, {"-no"}} {
		var out, errs bytes.Buffer
		if code, err := run(t.Context(), args, &out, &errs); code != command.Usage || err == nil {
			t.Errorf("%v: %d, %v", args, code, err)
		}
	}
}
