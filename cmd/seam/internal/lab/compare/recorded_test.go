package compare

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording is what 25 processes of five quick runs measured, on a machine with other
// work and that many busy loops. The rows of a process belong together: what disturbed one
// disturbed its neighbours.
type recording struct {
	Busy  int    `json:"busy"`
	Bases string `json:"bases"`
	Rows  []struct {
		Name   string    `json:"name"`
		Unit   string    `json:"unit"`
		Values []float64 `json:"values"` // one a process
	} `json:"rows"`
}

func recordings(t *testing.T, name string) (list []recording) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// run is a run of those processes.
func (r *recording) run(processes []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#seam bases: %s\n", r.Bases)
	for round, p := range processes {
		fmt.Fprintf(&b, "#seam round: %d\n", round)
		for _, row := range r.Rows {
			fmt.Fprintf(&b, "Benchmark%s 1 %v %s\n", row.Name, row.Values[p], row.Unit)
		}
	}
	return b.String()
}

// Two runs made of processes that were measured in any order differ by chance alone.
func TestRecordedNoiseIsNoSlowdown(t *testing.T) {
	for _, r := range recordings(t, "noise.json.gz") {
		t.Run(fmt.Sprintf("%d busy loops", r.Busy), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(uint64(r.Busy), 9))
			const pairs = 10
			called := 0
			for range pairs {
				drawn := rnd.Perm(len(r.Rows[0].Values))[:10]
				table := compare(t, parse(t, "old", r.run(drawn[:5])), parse(t, "new", r.run(drawn[5:])), 0.05)
				if table.Compared < 50 {
					t.Fatalf("%d rows compared", table.Compared)
				}
				if table.Slowdowns > 0 {
					called++
					t.Log(textOf(t, table, 0, false))
				}
			}
			if called > 1 {
				t.Errorf("%d of %d pairs of equal runs have a slowdown", called, pairs)
			}
		})
	}
}

// On a quiet machine twenty processes, as in a normal run, show 10 % in one of many rows.
func TestTenPerCentAreFoundInANormalRun(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	run := func(slow string) string {
		var b strings.Builder
		b.WriteString("#seam bases: Row/0 Row/1 Row/2 Row/3 Row/4 Row/5\n")
		shift := 1 + 0.01*rnd.NormFloat64()
		own := make([]float64, 100)
		for i := range own {
			own[i] = shift * (1 + 0.003*rnd.NormFloat64())
		}
		for round := range 20 {
			fmt.Fprintf(&b, "#seam round: %d\n", round)
			for i := range own {
				name := fmt.Sprintf("Row/%d", i)
				v := float64(i+1) * own[i] * (1 + 0.015*rnd.NormFloat64())
				if name == slow {
					v *= 1.1
				}
				fmt.Fprintf(&b, "Benchmark%s 1 %v ns/op\n", name, v)
			}
		}
		return b.String()
	}
	const trials = 10
	found, others := 0, 0
	for range trials {
		table := compare(t, parse(t, "old", run("")), parse(t, "new", run("Row/50")), 0.05)
		for _, r := range table.Rows {
			switch {
			case r.Slowdown && r.Name == "Row/50":
				found++
			case r.Slowdown:
				others++
			}
		}
	}
	if found < trials*9/10 || others > 0 {
		t.Errorf("found in %d of %d, and %d others", found, trials, others)
	}
}
