//seam:test race

package buffers

import (
	"context"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

// Other tools and stored results refer to these names.
func TestNamesAreFixed(t *testing.T) {
	form := regexp.MustCompile(`^Buffers/from=(stack|pool|make|reuse|freelist|none)/size=(4096|8192|16384|32768|65536|131072)/state=(warm|fresh|gc)(/io=none)?(/procs=all)?(/zero=once|/gc=off)?$`)
	names := map[lab.Mode][]string{}
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		type group struct{ bases, procs int }
		groups := map[string]group{}
		for _, c := range Experiment.Cases(mode) {
			if slices.Contains(names[mode], c.Name) {
				t.Errorf("%v: %s appears twice", mode, c.Name)
			}
			names[mode] = append(names[mode], c.Name)
			if c.Label == "" || (c.Start == nil) == (c.Probe == nil) {
				t.Errorf("%v: bad case %s", mode, c.Name)
			}
			if c.Probe != nil {
				continue
			}
			if !form.MatchString(c.Name) {
				t.Errorf("%v: bad name %s", mode, c.Name)
			}
			if c.Base != (strings.HasPrefix(c.Name, "Buffers/from=stack/") && !strings.HasSuffix(c.Name, "/zero=once")) {
				t.Errorf("%v: %s: base is %v", mode, c.Name, c.Base)
			}
			if one := !strings.Contains(c.Name, "/procs=all"); one != (c.Procs == 1) {
				t.Errorf("%v: %s: runs with GOMAXPROCS=%d", mode, c.Name, c.Procs)
			}
			g, seen := groups[c.Group]
			if seen && g.procs != c.Procs {
				t.Errorf("%v: group %s has two GOMAXPROCS", mode, c.Group)
			}
			g.procs = c.Procs
			if c.Base {
				g.bases++
			}
			groups[c.Group] = g
		}
		for name, g := range groups {
			if g.bases != 1 {
				t.Errorf("%v: group %s has %d bases", mode, name, g.bases)
			}
		}
	}
	for _, n := range names[lab.Quick] {
		if !slices.Contains(names[lab.Normal], n) {
			t.Errorf("%s is measured in a quick run only", n)
		}
	}
	if !slices.Equal(names[lab.Normal], names[lab.Full]) {
		t.Error("normal and full runs measure different things")
	}
	for _, n := range []string{
		"Buffers/from=stack/size=4096/state=warm",
		"Buffers/from=freelist/size=131072/state=fresh",
		"Buffers/from=pool/size=32768/state=gc/io=none",
		"Buffers/from=make/size=8192/state=fresh/procs=all",
		"Buffers/from=reuse/size=65536/state=warm/io=none/procs=all",
		"Buffers/from=none/size=65536/state=fresh",
		"Buffers/from=stack/size=16384/state=warm/zero=once",
		"Buffers/from=make/size=16384/state=warm/io=none/gc=off",
		"Buffers/what=starting-stack",
	} {
		if !slices.Contains(names[lab.Normal], n) {
			t.Errorf("no case %s", n)
		}
	}
}

// Published figures stand beside the published benchmark only.
func TestPublishedFigures(t *testing.T) {
	want := map[string]float64{
		"Buffers/from=pool/size=4096/state=warm": 3804, "Buffers/from=stack/size=4096/state=warm": 3833,
		"Buffers/from=pool/size=8192/state=warm": 3980, "Buffers/from=stack/size=8192/state=warm": 4110,
		"Buffers/from=pool/size=16384/state=warm": 4138, "Buffers/from=stack/size=16384/state=warm": 4408,
		"Buffers/from=pool/size=32768/state=warm": 4407, "Buffers/from=stack/size=32768/state=warm": 4957,
	}
	for _, c := range Experiment.Cases(lab.Normal) {
		got := 0.0
		if c.Reference != nil {
			got = c.Reference.Value
			if c.Reference.Source != 4 || c.Reference.Note == "" {
				t.Errorf("%s: reference %+v", c.Name, c.Reference)
			}
		}
		if got != want[c.Name] {
			t.Errorf("%s: reference %v, want %v", c.Name, got, want[c.Name])
		}
	}
}

func TestEveryCaseRuns(t *testing.T) {
	for _, c := range Experiment.Cases(lab.Normal) {
		if c.Start == nil || !strings.Contains(c.Name, "/size=4096/") && !strings.Contains(c.Name, "/size=131072/") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			before, goroutines := labtest.Leftovers(t), runtime.NumGoroutine()
			op, err := c.Start(t.Context(), lab.NewBench(lab.Quick, 1))
			labtest.Measured(t, err)
			if op.N < 1 || op.Run != nil {
				t.Errorf("samples of %d operations", op.N)
			}
			for _, n := range []int{1, 3} {
				if d := op.Time(n); d <= 0 {
					t.Errorf("%d operations take %v", n, d)
				}
			}
			op.Close()
			labtest.NoMoreThan(t, before)
			labtest.NoMoreGoroutines(t, goroutines)
		})
	}
}

func TestProbeOfStartingStack(t *testing.T) {
	found, err := probeStart(context.Background(), nil)
	labtest.Measured(t, err)
	if len(found) != 1 || found[0].Unit != "B" || found[0].Value < 2<<10 {
		t.Errorf("found %+v", found)
	}
}
