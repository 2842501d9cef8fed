package vet_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

var update = flag.Bool("update", false, "write what --fix makes of testdata/fixes to the golden file")

// Every change that a rule suggests, with the imports that it needs: what it makes of the source
// is known, and compiles.
func TestFixes(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	files, _, err := vettest.Report(t, vet.Rules, "testdata/fixes").Mended()
	if err != nil {
		t.Fatal(err)
	}
	var diffs strings.Builder
	dir, replace := t.TempDir(), map[string]string{}
	for _, f := range files {
		diffs.WriteString(f.Diff())
		name, err := filepath.Abs(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		replace[name] = filepath.Join(dir, filepath.Base(f.Path))
		if err := os.WriteFile(replace[name], f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/fixes.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(diffs.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diffs.String() != string(want) {
		t.Errorf("the changes are\n%s\nwant\n%s", diffs.String(), want)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := gotool.Run(t.Context(), gotool.Cmd{Args: []string{"go", "vet", "-overlay=" + list, "./testdata/fixes"}}); err != nil {
		t.Errorf("the mended files don't compile: %v", err)
	}
}
