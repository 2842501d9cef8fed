//seam:test native

package errorpath

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

func init() { progcache.Patient = true }

func TestNamesAreFixed(t *testing.T) {
	for mode, types := range map[lab.Mode]string{lab.Quick: "1 16 64", lab.Normal: "1 16 64 256", lab.Full: "1 16 64 256"} {
		var want []string
		for _, n := range strings.Fields(types) {
			for _, layout := range []string{"bare", "inline", "goto", "outlined"} {
				want = append(want, "ErrorPath/layout="+layout+"/types="+n)
			}
			want = append(want, "ErrorPath/yardstick=plain/types="+n)
		}
		want = append(want, "ErrorPath/what=code")
		for _, n := range strings.Fields(types) {
			want = append(want, "ErrorPath/what=L1i/types="+n)
		}
		var got []string
		for _, c := range Experiment.Cases(mode) {
			if (c.Start == nil) == (c.Probe == nil) || c.Setup != nil || c.Label == "" {
				t.Errorf("bad case %+v", c)
			}
			if c.Base != strings.Contains(c.Name, "layout=bare") {
				t.Errorf("%s: base is %v", c.Name, c.Base)
			}
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%v: cases are %v", mode, got)
		}
	}
}

func TestEveryTypeHasItsOwnFields(t *testing.T) {
	seen := map[string]int{}
	for i, text := range strings.Split(idl(256), "struct ")[1:] {
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); len(f) > 2 && strings.HasSuffix(f[0], ":") {
				field := f[len(f)-1]
				if other, ok := seen[field]; ok {
					t.Fatalf("types %d and %d both have %s", other, i, field)
				}
				seen[field] = i
			}
		}
	}
	if len(seen) < 256*7 {
		t.Errorf("%d fields in 256 types", len(seen))
	}
}

// What is built depends on nothing that changes from run to run.
func TestModuleIsStable(t *testing.T) {
	sums := map[filecache.Key]string{}
	for _, layout := range layouts {
		var all []filecache.Key
		for range 2 {
			files, err := variant{}.module(3, layout)
			if err != nil {
				t.Fatal(err)
			}
			if files["go.mod"] == "" || files["program/main.go"] == "" || files["decoders/shared.go"] == "" || files["thrift/codec/decoder.go"] == "" {
				t.Fatalf("a file is missing among the %d of the module", len(files))
			}
			for name := range files {
				if strings.HasSuffix(name, "_test.go") {
					t.Errorf("%s is among the files of the program", name)
				}
			}
			all = append(all, progcache.KeyOfFiles(files))
		}
		if all[0] != all[1] {
			t.Errorf("%s: the module differs from one time to the next", layout)
		}
		if other, ok := sums[all[0]]; ok {
			t.Errorf("layouts %s and %s give the same code", layout, other)
		}
		sums[all[0]] = layout
	}
}
