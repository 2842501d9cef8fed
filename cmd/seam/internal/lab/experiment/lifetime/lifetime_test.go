//seam:test nocgo

package lifetime

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

func init() { progcache.Patient = true }

// Other tools and stored results refer to these names.
func TestNamesAreFixed(t *testing.T) {
	to := strings.Fields("cstring-free cbytes-free pinner pointer noescape view registered")
	from := strings.Fields("gobytes-free gostring-free malloc-free cleanup owner-view stack-cgo stack-noescape stack-fill fill registered-fill arena")
	var want []string
	for _, group := range [][]string{to, from} {
		for _, bytes := range []string{"128", "4096"} {
			for _, d := range group {
				want = append(want, "Lifetime/idiom="+d+"/bytes="+bytes)
			}
		}
	}
	want = append(want, "Lifetime/idiom=cgo-handle", "Lifetime/idiom=handle", "Lifetime/idiom=pinned-value",
		"Lifetime/what=memory", "Lifetime/what=leak/bytes=128", "Lifetime/what=leak/bytes=4096", "Lifetime/what=verdict")
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal, lab.Full} {
		var got []string
		bases := map[string]int{}
		for _, c := range Experiment.Cases(mode) {
			got = append(got, c.Name)
			if c.Label == "" || (c.Setup == nil) == (c.Probe == nil) {
				t.Errorf("bad case %+v", c)
			}
			if c.Probe == nil {
				bases[c.Group] += map[bool]int{true: 1}[c.Base]
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%v: cases are\n%s\nwant\n%s", mode, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if len(bases) != 5 {
			t.Errorf("groups are %v", bases)
		}
		for group, n := range bases {
			if n != 1 {
				t.Errorf("group %q has %d bases", group, n)
			}
		}
	}
}

// Each idiom is a function of the file that the compiler judges.
func TestIdiomsAreInTheirFile(t *testing.T) {
	source, err := os.ReadFile(idiomsFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := functions(string(source))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, d := range idioms {
		s, ok := all[d.function]
		if !ok || s.last <= s.first {
			t.Errorf("%s: no function %s", d.key, d.function)
		}
		if slices.Contains(seen, d.key) || slices.Contains(seen, d.function) {
			t.Errorf("%s or its function %s appears twice", d.key, d.function)
		}
		seen = append(seen, d.key, d.function)
	}
	if p := all["fill"].params; !slices.Equal(p, []string{"buf", "n"}) {
		t.Errorf("the parameters of fill are %q", p)
	}
	if p := all["memHandle"].params; !slices.Equal(p, []string{"v"}) {
		t.Errorf("the parameters of memHandle that matter are %q", p)
	}
}
